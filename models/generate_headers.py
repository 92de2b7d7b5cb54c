"""Column names as people write them: a lexicon of concepts in many languages, the abbreviations of real systems, and
styles.

Written for this project from general knowledge; phrases of the rules in `rules/` are added where a kind of column names
them.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

ENGLISH = """
full_name: name|full name|fullname|customer name|person name|contact name|display name|complete name|name of person|cust_nm|emp_nm|nm|full_nm|pname|names|legal name|printed name|your name|name (last, first)|who|participant|attendee|holder|account holder
first: first name|firstname|fname|f_name|given name|forename|first|christian name|nm_first|first_nm|fst_nm|vname|givenname|given names|preferred name|nickname
middle: middle name|mname|middle|middle initial|mi|second name|m_init|middlename|mid_nm|other names
last: last name|lastname|lname|l_name|surname|family name|last|nm_last|last_nm|lst_nm|familyname|sname|sur name
maiden: maiden name|birth name|née|name at birth|mother maiden name|previous name|former surname
email: email|e-mail|email address|mail|emailaddress|e_mail|email addr|contact email|work email|private email|primary email|eml|email_id|email1|e-mail 1|login email|mailto|smtp_addr
phone: phone|phone number|telephone|tel|tel_no|phone no|phone1|contact number|contact no|home phone|work phone|telno|ph_no|ph|telf1|phone_nbr|landline|tel.|telephone number|daytime phone|primary phone|contact
mobile: mobile|mobile number|cell|cell phone|mobile phone|mob|mob_no|cellphone|cell no|handy|mobile_no|msisdn|whatsapp
fax: fax|fax number|fax no|faxnr|telefax|fax_num
address: address|street address|full address|mailing address|home address|residential address|postal address|shipping address|billing address|addr|address (full)|delivery address|ship to|bill to|adr
street: street|address|address1|addr1|address line 1|street name|street 1|addr_line_1|strt|stras|address_1|street_address|line1|address line
street2: address2|addr2|address line 2|apt|unit|suite|street 2|addr_line_2|apartment|apt_no|flat
house_number: house number|house no|street number|hsnr|building number|house_nr|hausnr
city: city|town|city name|municipality|suburb|location|ort01|city_nm|place|town_city|locality|cty|city/town|home city|residence
region: state|region|province|county|district|state/province|area|governorate|territory|prov|state_name|regio|administrative area|constituency|neighbourhood|dept|ward|zone
state_code: state|st|state code|province code|state_cd|region code|st_abbr|prov_cd
postal: zip|zip code|postal code|postcode|zipcode|zip_cd|post code|pstlz|zip5|pin code|postalcode|zip/postal|plz|post_cd
country: country|country name|nation|land1|cntry|ctry|country of residence|country/region|countryname|cntry_nm
country_code: country code|country|country iso|iso|iso2|iso3|iso code|cc|country_cd|ctry_cd|alpha2|alpha-3|countrycode
lat: latitude|lat|y|geo lat|lat_deg|latitud|lat_wgs84|gps_lat|decimal latitude|start_lat|pickup_latitude
lon: longitude|lon|lng|long|x|geo lon|lon_deg|lon_wgs84|gps_lon|decimal longitude|start_lng|pickup_longitude
coordinates: coordinates|location|geo|latlong|lat/lon|gps|gps coordinates|geolocation|position|geo_point|point|latlng|geom
ssn: ssn|social security number|ssn_no|social|soc_sec|ssn_nbr|ss#|social sec no|emp_ssn|taxpayer ssn|tin
national: national id|id number|tax id|personal number|identity number|nat_id|natl_id|id card no|government id|citizen id|personal id|id_no|national_id_number|taxpayer id
passport: passport|passport no|passport number|passport_num|ppt_no|travel document|passnr|passport #
licence: driver license|driving licence|dl number|drivers license no|dl_no|dln|licence no|license number|driver_lic|lic_num|driver's license
card: credit card|card number|cc number|credit card number|card_no|ccnum|pan|card|cc_num|payment card|creditcard|card nbr
cvv: cvv|cvc|cvv2|security code|card code|cc_cvv|csc|cvv code
iban: iban|iban number|account iban|bank iban|iban_no|beneficiary iban|payer iban|iban code
account: account number|bank account|acct_no|account no|acct|account|bankn|acct_num|account_nbr|from account|to account|beneficiary account|bank acct
swift: swift|bic|swift code|bic code|bank identifier code|swift/bic|bank bic|swift_cd
ip: ip|ip address|client ip|source ip|ip_addr|remote addr|src_ip|host|last login ip|ipaddress|c-ip|x_forwarded_for|clientip|dst_ip|peer
mac: mac|mac address|mac_addr|hw_addr|bssid|ethernet|wifi mac|macaddress|hardware address|station mac
username: username|user name|login|user|account name|uname|screen name|handle|user_id|nick|nickname|twitter|logon|samaccountname|uid|author|posted by|usr_nm|login_id|instagram
password: password|passwd|pwd|pass|password hash|user_password|pw|passcode|pin|hash|secret answer|pswd|userpassword
mrn: mrn|medical record number|patient id|pt_mrn|patient_id|chart number|pat_no|patnr|medical record|mr no|hospital number|patient no|pid|med_rec_no|subject_mrn|policy holder id|health record
plate: license plate|plate|plate number|registration|vehicle reg|reg_no|plate_no|number plate|registration number|vrn|car plate|tag
vin: vin|vin number|chassis number|vehicle identification number|vehicle_vin|chassis|frame no|vin_no
device: device id|imei|device_uuid|device serial|android id|advertising id|idfa|udi|device_id|hostname|serial|handset|imei1|gaid|udid|computer name|device identifier
birth: date of birth|dob|birth date|birthdate|birthday|birth_dt|d.o.b.|born|bdate|date birth|gbdat|dateofbirth|birth|brth_dt|born on
birth_year: birth year|year of birth|yob|birthyear|year born|byear|birth_yr
age: age|age (years)|age_yrs|age at diagnosis|patient age|customer age|age in years|current age|age_at_event|ageyears|ages
age_band: age group|age band|age range|age_grp|age bracket|age category|agegroup|age|age_cat|ages
gender: gender|sex|m/f|gender_cd|gesch|gndr|sex_cd|sex (m/f)|gender identity|sex at birth|gender code|riagendr|gen
marital: marital status|marital|maritalstatus|civil status|marital_sts|famst|relationship status|mar_stat|married|marriage
nationality: nationality|citizenship|natio|nationality code|citizen|country of citizenship|nat
birthplace: place of birth|birthplace|birth city|city of birth|country of birth|born in|pob|birth country|birth place|gbort
language: language|preferred language|native language|lang|mother tongue|language code|locale|spras|first language|spoken language|primary language
occupation: occupation|job title|job|profession|position|title|role|job_ttl|jobtitle|occ|position title|designation|emp_title|job role|stell|current job
education: education|education level|degree|highest degree|qualification|educ|edu_level|schooling|level of education|highest qualification|major|field of study
employer: employer|company|employer name|company name|organization|workplace|works for|firm|org|current employer|emp_name_co|business
school: school|university|college|school name|alma mater|institution|high school|univ|campus
party: party|political party|party affiliation|affiliation|pol_party
team: team|club|team name|club name|squad|franchise
pid: id|customer id|cust_id|employee id|emp_id|user id|person id|member id|client id|student id|empno|kunnr|pernr|cust_no|userid|customer number|employee number|personnel number|uuid|badge no|account id|contact id|staff id|respondent id|participant|subject id|case id|record id|donor id|voter id|index|applicant id|player id|key|row_id|external id
manager_id: manager id|supervisor id|mgr_id|reports to|created by id|owner id|assigned to id|agent id|salesperson id|host id|driver id|doctor id|author id|updated_by
note: notes|comments|remarks|comment|description|message|feedback|note|memo|text|free text|body|review|details|additional info|observations|special instructions|rmks|bemerkung|review text|issue description|clinical notes|summary|content|history
person_url: profile url|linkedin|website|linkedin url|personal website|homepage|profile|facebook|blog|avatar url|photo|profile link|wikipedia
ethnicity: race|ethnicity|ethnic group|race/ethnicity|race_cd|ethnic|ethnic origin|ethnic background|racial group|caste|raceeth
religion: religion|faith|religious affiliation|relig|denomination|konfession|religion_cd|church
sexuality: sexual orientation|orientation|sexuality|sex_orient|lgbtq|sexual identity|sex. orientation
diagnosis: diagnosis|condition|disease|primary diagnosis|dx|medical condition|diag|illness|chief complaint|dx_desc|cause of death|reason for visit|health issue|morbidity|comorbidities|allergies|medication|treatment|symptoms
icd: icd10|icd code|diagnosis code|dx_code|icd_10|icd9|diag_cd|icd-10 code|primary icd|code
blood: blood type|blood group|bloodtype|blood_grp|abo|blood
income: salary|income|annual income|monthly salary|wage|pay|compensation|gross pay|base salary|annual_salary|inc|household income|net pay|ann_inc|salary_amt|remuneration|net worth|yearly income|hourly rate|bonus|annual salary (usd)|betrg
income_band: income level|income group|income range|income bracket|salary band|income_cat|income category|income|household income
generic_id: id|code|number|no|ref|reference|key|record id|item id|product id|sku|transaction id|invoice no|order id|uuid|guid|object_id|serial no|doc_no|reference number|external_ref|pk|belnr|matnr|asset tag|barcode|part number|batch no|ticket id|event id|store id|site id|station id|row id
org_id: vat number|vat id|company number|ein|tax number|registration number|company reg no|business id|siret|duns|lei|company tax id|fiscal code|vat|stceg|abn|vat_reg_no
secret: api key|token|secret|access token|apikey|api_key|auth_token|secret_key|private key|access_key|client_secret|bearer|session_token|webhook|credentials
org_name: name|company|company name|organization|business name|account name|supplier|vendor|vendor name|manufacturer|hospital name|school name|store name|legal name|branch|institution|agency|publisher|brand|name1|organisation|facility name|provider
url: url|website|link|web|homepage|web site|product url|image url|href|site|domain|page|source url|source|uri|landing page|referrer|picture
place_name: name|city|place|location|station|town|area name|geography|label
"""

LEXICON = """
full_name: de=Name/Vor- und Nachname/Kundenname/Ansprechpartner/Mitarbeiter fr=nom complet/nom et prénom/nom du client/nom/interlocuteur es=nombre completo/nombre y apellidos/nombre/cliente it=nome completo/nominativo/nome e cognome/cliente pt=nome completo/nome/nome do cliente/funcionário nl=naam/volledige naam/klantnaam pl=imię i nazwisko/nazwisko i imię/klient sv=namn/fullständigt namn da=navn/fulde navn no=navn/fullt navn fi=nimi/koko nimi cs=jméno a příjmení/celé jméno ro=nume complet/nume și prenume hu=név/teljes név tr=ad soyad/isim/adı soyadı ru=ФИО/полное имя/клиент/сотрудник uk=ПІБ/повне ім'я el=ονοματεπώνυμο ar=الاسم/الاسم الكامل he=שם מלא/שם ja=氏名/お名前/名前 zh=姓名/客户姓名/联系人 ko=이름/성명 bg=име/трите имена hr=ime i prezime id=nama/nama lengkap vi=họ và tên th=ชื่อ
first: de=Vorname/Rufname fr=prénom es=nombre/primer nombre it=nome pt=nome/primeiro nome nl=voornaam pl=imię sv=förnamn da=fornavn no=fornavn fi=etunimi cs=jméno/křestní jméno ro=prenume hu=keresztnév/utónév tr=ad/adı ru=имя uk=ім'я el=όνομα ar=الاسم الأول he=שם פרטי ja=名 zh=名/名字 ko=이름 bg=име hr=ime id=nama depan vi=tên
last: de=Nachname/Familienname/Zuname fr=nom/nom de famille es=apellido/apellidos/primer apellido it=cognome pt=apelido/sobrenome nl=achternaam/familienaam pl=nazwisko sv=efternamn da=efternavn no=etternavn fi=sukunimi cs=příjmení ro=nume/nume de familie hu=vezetéknév tr=soyad/soyadı ru=фамилия uk=прізвище el=επώνυμο ar=اسم العائلة/اللقب he=שם משפחה ja=姓/苗字 zh=姓/姓氏 ko=성 bg=фамилия hr=prezime id=nama belakang vi=họ
middle: de=Zweiter Vorname fr=deuxième prénom es=segundo nombre pl=drugie imię ru=отчество uk=по батькові bg=презиме nl=tussenvoegsel pt=nome do meio
maiden: de=Geburtsname/Mädchenname fr=nom de jeune fille/nom de naissance es=segundo apellido it=cognome da nubile pl=nazwisko panieńskie/nazwisko rodowe nl=meisjesnaam cs=rodné příjmení
email: de=E-Mail/E-Mail-Adresse/Mailadresse fr=courriel/adresse e-mail/mail es=correo electrónico/correo/email it=email/posta elettronica/indirizzo email pt=e-mail/endereço de email nl=e-mailadres/mailadres pl=adres e-mail/e-mail sv=e-post da=e-mail no=e-post fi=sähköposti cs=e-mail ro=adresa de email hu=e-mail cím tr=e-posta ru=эл. почта/электронная почта/почта uk=ел. пошта el=ηλ. ταχυδρομείο ar=البريد الإلكتروني he=דוא"ל/אימייל ja=メールアドレス/メール zh=电子邮件/邮箱 ko=이메일 id=surel
phone: de=Telefon/Telefonnummer/Tel./Rufnummer/Festnetz fr=téléphone/numéro de téléphone/tél es=teléfono/número de teléfono/tel it=telefono/numero di telefono/tel. pt=telefone/contacto/tel nl=telefoon/telefoonnummer pl=telefon/numer telefonu/nr tel. sv=telefon/telefonnummer da=telefon/tlf no=telefon/tlf fi=puhelin/puhelinnumero cs=telefon/telefonní číslo ro=telefon/număr de telefon hu=telefon/telefonszám tr=telefon/telefon no ru=телефон/номер телефона uk=телефон el=τηλέφωνο ar=الهاتف/رقم الهاتف he=טלפון ja=電話番号/電話 zh=电话/联系电话 ko=전화번호 bg=телефон id=telepon vi=điện thoại th=โทรศัพท์
mobile: de=Mobil/Handy/Mobilnummer fr=portable/mobile es=móvil/celular it=cellulare pt=telemóvel/celular nl=mobiel pl=telefon komórkowy/komórka sv=mobil fi=matkapuhelin cs=mobil ru=мобильный/мобильный телефон ar=الجوال he=נייד ja=携帯電話 zh=手机/手机号 ko=휴대폰 id=no hp tr=cep telefonu
fax: de=Fax/Telefax fr=télécopie es=fax it=fax pl=faks ru=факс ja=FAX番号 zh=传真
address: de=Adresse/Anschrift/Lieferadresse/Rechnungsadresse fr=adresse/adresse complète es=dirección/domicilio it=indirizzo/residenza pt=endereço/morada nl=adres pl=adres/adres zamieszkania sv=adress da=adresse no=adresse fi=osoite cs=adresa/bydliště ro=adresa hu=cím/lakcím tr=adres ru=адрес/адрес доставки uk=адреса el=διεύθυνση ar=العنوان he=כתובת ja=住所 zh=地址/住址 ko=주소 bg=адрес hr=adresa id=alamat vi=địa chỉ th=ที่อยู่
street: de=Straße/Strasse/Straße und Hausnummer fr=rue/adresse 1/voie es=calle/dirección it=via/indirizzo pt=rua/logradouro/morada nl=straat/straatnaam pl=ulica sv=gata/gatuadress da=vej/gade no=gate fi=katuosoite cs=ulice ro=strada hu=utca tr=cadde/sokak ru=улица uk=вулиця el=οδός ar=الشارع he=רחוב ja=番地 zh=街道 ko=도로명주소 hr=ulica
house_number: de=Hausnummer/Hausnr fr=numéro de voie es=número/nº it=civico/numero civico pt=número/porta nl=huisnummer pl=nr domu/numer domu cs=číslo popisné sv=gatunummer ru=дом tr=kapı no
street2: de=Adresszusatz fr=complément d'adresse es=piso it=interno pt=complemento nl=toevoeging pl=nr mieszkania/lokal ru=квартира ja=建物名
city: de=Ort/Stadt/Wohnort/Gemeinde fr=ville/commune/localité es=ciudad/localidad/municipio/población it=città/comune/località pt=cidade/município/localidade nl=plaats/woonplaats/gemeente pl=miasto/miejscowość/gmina sv=ort/stad/postort da=by no=by/poststed fi=kaupunki/postitoimipaikka/kunta cs=město/obec ro=oraș/localitate hu=város/település tr=şehir/ilçe/il ru=город/населённый пункт uk=місто el=πόλη/δήμος ar=المدينة he=עיר/יישוב ja=市区町村/都市 zh=城市/市 ko=도시/시 bg=град hr=grad id=kota vi=thành phố th=เมือง
region: de=Bundesland/Kanton/Landkreis/Region fr=région/département/province es=provincia/región/comunidad autónoma/estado it=regione/provincia/prov pt=estado/distrito/região/UF nl=provincie/regio pl=województwo/powiat sv=län/landskap da=region/kommune no=fylke/kommune fi=maakunta cs=kraj/okres ro=județ hu=megye tr=bölge/il ru=область/регион/район uk=область el=νομός/περιφέρεια ar=المحافظة/المنطقة he=מחוז ja=都道府県 zh=省份/省/地区 ko=시도/지역 bg=област hr=županija id=provinsi vi=tỉnh th=จังหวัด
postal: de=PLZ/Postleitzahl fr=code postal/CP es=código postal/CP it=CAP/codice postale pt=código postal/CEP nl=postcode pl=kod pocztowy/kod sv=postnummer da=postnr/postnummer no=postnr/postnummer fi=postinumero cs=PSČ ro=cod poștal hu=irányítószám tr=posta kodu ru=индекс/почтовый индекс uk=індекс el=Τ.Κ. ar=الرمز البريدي he=מיקוד ja=郵便番号 zh=邮编/邮政编码 ko=우편번호 hr=poštanski broj id=kode pos
country: de=Land/Staat fr=pays es=país it=paese/nazione/stato pt=país nl=land pl=kraj/państwo sv=land da=land no=land fi=maa cs=země/stát ro=țara hu=ország tr=ülke ru=страна uk=країна el=χώρα ar=الدولة/البلد he=מדינה ja=国 zh=国家 ko=국가 bg=държава hr=država id=negara vi=quốc gia
country_code: de=Länderkennzeichen/Ländercode fr=code pays es=código país it=codice paese pt=código do país nl=landcode pl=kod kraju sv=landskod ru=код страны ja=国コード zh=国家代码
lat: de=Breitengrad/geogr. Breite fr=latitude es=latitud it=latitudine pt=latitude nl=breedtegraad pl=szerokość geograficzna sv=latitud fi=leveysaste cs=zeměpisná šířka ru=широта ja=緯度 zh=纬度 ko=위도 tr=enlem hu=szélesség ar=خط العرض
lon: de=Längengrad/geogr. Länge fr=longitude es=longitud it=longitudine pt=longitude nl=lengtegraad pl=długość geograficzna sv=longitud fi=pituusaste cs=zeměpisná délka ru=долгота ja=経度 zh=经度 ko=경도 tr=boylam hu=hosszúság ar=خط الطول
coordinates: de=Koordinaten/Standort fr=coordonnées es=coordenadas it=coordinate pt=coordenadas nl=coördinaten pl=współrzędne ru=координаты ja=座標 zh=坐标
national: de=Steuer-ID/Sozialversicherungsnummer/Ausweisnummer/AHV-Nummer/SV-Nummer fr=numéro de sécurité sociale/NIR/n° sécu es=DNI/NIF/NIE/documento de identidad/cédula/RUT/CURP it=codice fiscale/CF pt=NIF/CPF/RG/contribuinte/documento nl=BSN/burgerservicenummer/rijksregisternummer pl=PESEL/nr dowodu/numer PESEL sv=personnummer da=CPR/CPR-nummer no=fødselsnummer/personnummer fi=henkilötunnus/hetu cs=rodné číslo ro=CNP hu=adóazonosító jel/TAJ szám tr=TC kimlik no/TCKN ru=ИНН/СНИЛС/паспорт uk=ІПН el=ΑΦΜ/ΑΜΚΑ ar=رقم الهوية/الرقم القومي he=תעודת זהות/ת"ז ja=マイナンバー/個人番号 zh=身份证号/身份证 ko=주민등록번호 bg=ЕГН hr=OIB id=NIK
passport: de=Reisepassnummer/Passnummer fr=numéro de passeport/passeport es=pasaporte/número de pasaporte it=passaporto/numero passaporto pt=passaporte nl=paspoortnummer pl=numer paszportu/paszport sv=passnummer cs=číslo pasu ru=номер паспорта/загранпаспорт ja=パスポート番号 zh=护照号 ko=여권번호 tr=pasaport no
licence: de=Führerscheinnummer/Führerschein fr=numéro de permis/permis de conduire es=permiso de conducir/licencia de conducir it=patente/numero patente pt=carta de condução/CNH nl=rijbewijsnummer pl=numer prawa jazdy/prawo jazdy sv=körkort cs=řidičský průkaz ru=водительское удостоверение ja=運転免許番号
card: de=Kreditkartennummer/Kartennummer fr=numéro de carte/carte bancaire es=número de tarjeta/tarjeta de crédito it=carta di credito/numero carta pt=cartão de crédito/número do cartão nl=kaartnummer/creditcard pl=numer karty sv=kortnummer cs=číslo karty ru=номер карты ja=カード番号 zh=信用卡号/卡号 tr=kart no
cvv: de=Prüfziffer fr=cryptogramme es=código de seguridad it=codice di sicurezza
iban: de=IBAN fr=IBAN es=IBAN it=IBAN pt=IBAN nl=IBAN/rekeningnummer pl=IBAN/nr rachunku fi=tilinumero tr=IBAN
account: de=Kontonummer/Konto/Bankverbindung fr=numéro de compte/compte/RIB es=número de cuenta/cuenta bancaria it=numero conto/conto corrente pt=conta/número da conta nl=rekeningnummer/bankrekening pl=numer konta/rachunek sv=kontonummer da=kontonummer cs=číslo účtu ro=cont bancar hu=számlaszám tr=hesap no ru=номер счёта/счёт ja=口座番号 zh=银行账号 ko=계좌번호
ip: de=IP-Adresse fr=adresse IP es=dirección IP it=indirizzo IP pl=adres IP ru=IP-адрес ja=IPアドレス zh=IP地址 pt=endereço IP nl=IP-adres
mac: de=MAC-Adresse fr=adresse MAC es=dirección MAC it=indirizzo MAC pl=adres MAC ru=MAC-адрес zh=MAC地址
username: de=Benutzername/Benutzer/Anmeldename/Login fr=identifiant/nom d'utilisateur/pseudo es=usuario/nombre de usuario it=nome utente/utente pt=utilizador/usuário/nome de usuário nl=gebruikersnaam/gebruiker pl=login/nazwa użytkownika sv=användarnamn da=brugernavn fi=käyttäjätunnus cs=uživatelské jméno hu=felhasználónév tr=kullanıcı adı ru=логин/пользователь ja=ユーザー名 zh=用户名 ko=아이디
password: de=Passwort/Kennwort fr=mot de passe/mdp es=contraseña/clave it=password pt=senha/palavra-passe nl=wachtwoord pl=hasło sv=lösenord da=adgangskode fi=salasana cs=heslo hu=jelszó tr=şifre/parola ru=пароль ja=パスワード zh=密码 ko=비밀번호
mrn: de=Patientennummer/Fallnummer/Patienten-ID fr=numéro patient/IPP/n° dossier es=historia clínica/número de paciente it=numero cartella/codice paziente pt=número do paciente/prontuário nl=patiëntnummer pl=numer pacjenta cs=číslo pacienta ru=номер карты пациента/номер истории болезни ja=患者番号/カルテ番号 zh=病历号/住院号 tr=hasta no ko=환자번호
plate: de=Kennzeichen/KFZ-Kennzeichen fr=immatriculation/plaque es=matrícula/placa/patente it=targa pt=matrícula/placa nl=kenteken pl=numer rejestracyjny/nr rej. sv=registreringsnummer/regnr da=nummerplade fi=rekisterinumero cs=SPZ/RZ ro=număr înmatriculare hu=rendszám tr=plaka ru=госномер/номер авто ja=ナンバー zh=车牌号 ko=차량번호
vin: de=Fahrgestellnummer/FIN fr=numéro de châssis/n° VIN es=bastidor it=numero telaio pt=chassi nl=chassisnummer pl=numer VIN/nr nadwozia cs=VIN ru=VIN/номер кузова
device: de=Gerätenummer/Geräte-ID fr=numéro de série es=id dispositivo it=id dispositivo pl=numer seryjny ru=идентификатор устройства zh=设备号
birth: de=Geburtsdatum/Geb.datum/geboren am/Geburtstag fr=date de naissance/né le/naissance es=fecha de nacimiento/nacimiento it=data di nascita/nato il pt=data de nascimento/nascimento nl=geboortedatum pl=data urodzenia sv=födelsedatum da=fødselsdato no=fødselsdato fi=syntymäaika cs=datum narození ro=data nașterii hu=születési dátum/születési idő tr=doğum tarihi ru=дата рождения/др uk=дата народження el=ημερομηνία γέννησης ar=تاريخ الميلاد he=תאריך לידה ja=生年月日 zh=出生日期/生日 ko=생년월일 bg=дата на раждане hr=datum rođenja id=tanggal lahir vi=ngày sinh th=วันเกิด
birth_year: de=Geburtsjahr/Jahrgang fr=année de naissance es=año de nacimiento it=anno di nascita pt=ano de nascimento nl=geboortejaar pl=rok urodzenia sv=födelseår cs=rok narození ru=год рождения zh=出生年份 fi=syntymävuosi
age: de=Alter fr=âge es=edad it=età pt=idade nl=leeftijd pl=wiek sv=ålder da=alder no=alder fi=ikä cs=věk ro=vârsta hu=életkor/kor tr=yaş ru=возраст uk=вік el=ηλικία ar=العمر he=גיל ja=年齢 zh=年龄 ko=나이 bg=възраст hr=dob id=usia/umur vi=tuổi th=อายุ
age_band: de=Altersgruppe/Altersklasse fr=tranche d'âge/classe d'âge es=grupo de edad/rango de edad it=fascia d'età/classe di età pt=faixa etária nl=leeftijdsgroep pl=grupa wiekowa sv=åldersgrupp fi=ikäryhmä cs=věková skupina ru=возрастная группа ja=年代/年齢層 zh=年龄段 ko=연령대
gender: de=Geschlecht fr=sexe/genre es=sexo/género it=sesso/genere pt=sexo/género nl=geslacht pl=płeć sv=kön da=køn no=kjønn fi=sukupuoli cs=pohlaví ro=sex/gen hu=nem tr=cinsiyet ru=пол uk=стать el=φύλο ar=الجنس/النوع he=מין ja=性別 zh=性别 ko=성별 bg=пол hr=spol id=jenis kelamin vi=giới tính th=เพศ
marital: de=Familienstand fr=situation familiale/état civil es=estado civil it=stato civile pt=estado civil nl=burgerlijke staat pl=stan cywilny sv=civilstånd da=civilstand no=sivilstand fi=siviilisääty cs=rodinný stav ro=stare civilă hu=családi állapot tr=medeni durum/medeni hal ru=семейное положение ar=الحالة الاجتماعية he=מצב משפחתי ja=婚姻状況 zh=婚姻状况 ko=결혼여부 id=status perkawinan
nationality: de=Staatsangehörigkeit/Nationalität fr=nationalité es=nacionalidad it=nazionalità/cittadinanza pt=nacionalidade nl=nationaliteit pl=obywatelstwo/narodowość sv=nationalitet/medborgarskap fi=kansalaisuus cs=státní příslušnost ro=naționalitate hu=állampolgárság tr=uyruk ru=гражданство/национальность ar=الجنسية ja=国籍 zh=国籍/民族 ko=국적
birthplace: de=Geburtsort/Geburtsland fr=lieu de naissance/pays de naissance es=lugar de nacimiento/país de nacimiento it=luogo di nascita/comune di nascita pt=naturalidade/local de nascimento nl=geboorteplaats/geboorteland pl=miejsce urodzenia sv=födelseort cs=místo narození hu=születési hely tr=doğum yeri ru=место рождения ar=مكان الميلاد ja=出生地/出身地 zh=出生地/籍贯 ko=출생지 fi=syntymäpaikka ro=locul nașterii
language: de=Sprache/Muttersprache fr=langue/langue maternelle es=idioma/lengua materna it=lingua/madrelingua pt=idioma/língua nl=taal/moedertaal pl=język sv=språk fi=kieli/äidinkieli cs=jazyk ro=limba hu=nyelv/anyanyelv tr=dil ru=язык/родной язык ar=اللغة ja=言語 zh=语言 ko=언어
occupation: de=Beruf/Position/Tätigkeit/Funktion fr=profession/métier/fonction/poste es=profesión/ocupación/puesto/cargo it=professione/mansione/qualifica/ruolo pt=profissão/cargo/função nl=beroep/functie pl=zawód/stanowisko sv=yrke/befattning da=stilling no=stilling/yrke fi=ammatti/tehtävänimike cs=povolání/pozice ro=profesie/funcție hu=foglalkozás/beosztás tr=meslek/görev/unvan ru=профессия/должность uk=посада el=επάγγελμα ar=المهنة/الوظيفة he=מקצוע/תפקיד ja=職業/職種 zh=职业/职位 ko=직업/직급 id=pekerjaan
education: de=Bildungsabschluss/Schulabschluss/Abschluss fr=niveau d'études/diplôme es=nivel de estudios/estudios/escolaridad it=titolo di studio/istruzione pt=escolaridade/grau de instrução/habilitações nl=opleiding/opleidingsniveau pl=wykształcenie sv=utbildning da=uddannelse no=utdanning fi=koulutus cs=vzdělání ro=studii hu=iskolai végzettség/végzettség tr=eğitim durumu/eğitim ru=образование ar=المؤهل/المستوى التعليمي ja=学歴 zh=学历/文化程度 ko=학력 id=pendidikan
employer: de=Arbeitgeber/Firma/Unternehmen fr=employeur/entreprise/société es=empresa/empleador it=azienda/datore di lavoro/ditta pt=empresa/empregador nl=werkgever/bedrijf pl=pracodawca/firma sv=arbetsgivare/företag da=firma fi=työnantaja/yritys cs=zaměstnavatel/firma ro=angajator/firma hu=munkahely/cég tr=şirket/işveren ru=место работы/компания/организация ar=الشركة/جهة العمل ja=勤務先/会社名 zh=单位/公司/工作单位 ko=회사
school: de=Schule/Hochschule fr=école/établissement/université es=escuela/universidad/colegio it=scuola/università pt=escola/universidade nl=school/universiteit pl=szkoła/uczelnia sv=skola cs=škola hu=iskola tr=okul/üniversite ru=школа/вуз ja=学校 zh=学校/毕业院校 ko=학교
party: de=Partei fr=parti es=partido it=partito pt=partido nl=partij pl=partia cs=strana ru=партия sv=parti ja=政党
team: de=Mannschaft/Verein fr=équipe/club es=equipo/club it=squadra/club pt=equipe/clube nl=ploeg/club pl=drużyna/klub sv=lag/klubb ru=команда/клуб cs=klub tr=takım ja=チーム zh=球队/队伍
pid: de=Kundennummer/Personalnummer/Mitgliedsnummer/Kunden-ID/Mitarbeiter-ID fr=numéro client/matricule/id client/id employé es=id cliente/número de cliente/id empleado/legajo it=codice cliente/id cliente/matricola pt=id cliente/código do cliente/matrícula nl=klantnummer/personeelsnummer/klant-id pl=id klienta/numer klienta/nr pracownika sv=kundnummer/anställningsnummer da=kundenummer fi=asiakasnumero cs=číslo zákazníka/osobní číslo ro=id client/marca hu=ügyfélszám/törzsszám tr=müşteri no/sicil no ru=код клиента/табельный номер/id клиента ar=رقم العميل/رقم الموظف he=מספר לקוח ja=顧客番号/社員番号/会員番号 zh=客户编号/工号/员工编号/学号 ko=회원번호/사번 id=id pelanggan
note: de=Bemerkung/Bemerkungen/Notiz/Kommentar/Anmerkungen/Hinweis/Nachricht fr=commentaire/remarques/observations/notes es=comentarios/observaciones/notas/mensaje it=note/commenti/osservazioni/annotazioni pt=observações/comentários/notas nl=opmerkingen/opmerking/notitie pl=uwagi/komentarz/opis/notatki sv=anmärkning/kommentar da=bemærkninger no=merknad fi=huomautukset/kommentti cs=poznámka/komentář ro=observații hu=megjegyzés tr=açıklama/notlar/yorum ru=комментарий/примечание/заметки uk=примітка ar=ملاحظات/تعليق he=הערות ja=備考/コメント/メモ zh=备注/评论/留言 ko=비고/메모 id=catatan
person_url: de=Webseite/Homepage fr=site personnel es=página web it=sito web pl=strona www ru=сайт/профиль
ethnicity: de=Ethnie fr=origine ethnique es=etnia/raza/grupo étnico it=etnia pt=raça/cor/etnia/raça/cor nl=etniciteit pl=pochodzenie etniczne cs=etnikum ru=национальность ar=العرق zh=民族 ja=民族 hu=etnikum
religion: de=Religion/Konfession fr=religion es=religión it=religione pt=religião nl=religie/geloof pl=wyznanie/religia sv=religion fi=uskonto cs=náboženství ro=religie hu=vallás tr=din ru=вероисповедание/религия ar=الديانة he=דת ja=宗教 zh=宗教信仰/宗教 ko=종교 id=agama
sexuality: de=sexuelle Orientierung fr=orientation sexuelle es=orientación sexual it=orientamento sessuale pt=orientação sexual nl=seksuele geaardheid pl=orientacja seksualna sv=sexuell läggning
diagnosis: de=Diagnose/Erkrankung/Vorerkrankungen/Krankheit fr=diagnostic/maladie/pathologie/antécédents es=diagnóstico/enfermedad/antecedentes it=diagnosi/patologia/malattia pt=diagnóstico/doença/queixa nl=diagnose/aandoening pl=rozpoznanie/choroba/diagnoza sv=diagnos da=diagnose no=diagnose fi=diagnoosi cs=diagnóza ro=diagnostic hu=diagnózis/betegség tr=tanı/hastalık ru=диагноз/заболевание ar=التشخيص/المرض he=אבחנה ja=診断名/病名/傷病名 zh=诊断/疾病/病史 ko=진단명 id=penyakit
icd: de=ICD-Code/ICD fr=code CIM-10 es=código CIE-10/CIE it=codice ICD pt=CID pl=kod ICD-10 ru=МКБ-10
blood: de=Blutgruppe fr=groupe sanguin es=grupo sanguíneo it=gruppo sanguigno pt=tipo sanguíneo nl=bloedgroep pl=grupa krwi cs=krevní skupina tr=kan grubu ru=группа крови ja=血液型 zh=血型 ko=혈액형
income: de=Gehalt/Einkommen/Jahresgehalt/Bruttogehalt/Lohn fr=salaire/revenu/revenu annuel/salaire brut es=salario/ingresos/sueldo/ingreso mensual it=stipendio/reddito/retribuzione/RAL pt=salário/renda/rendimento/renda mensal nl=salaris/inkomen pl=wynagrodzenie/pensja/dochód sv=lön/inkomst da=løn/indkomst no=lønn/inntekt fi=palkka/tulot cs=plat/mzda/příjem ro=salariu/venit hu=fizetés/jövedelem/bér tr=maaş/gelir/ücret ru=зарплата/доход/оклад uk=зарплата el=μισθός/εισόδημα ar=الراتب/الدخل he=שכר/הכנסה ja=年収/給与/収入 zh=工资/收入/薪资/年收入 ko=급여/연봉/소득 id=gaji/pendapatan
income_band: de=Einkommensklasse/Einkommensgruppe fr=tranche de revenu es=rango de ingresos it=fascia di reddito pt=faixa de renda nl=inkomensklasse pl=przedział dochodu ru=уровень дохода zh=收入水平
org_id: de=USt-IdNr./Handelsregisternummer/Umsatzsteuer-ID fr=SIRET/SIREN/numéro de TVA es=CIF/NIF empresa/RUC/CUIT it=partita IVA/P.IVA pt=CNPJ/NIPC nl=KvK-nummer/BTW-nummer pl=NIP/REGON/KRS sv=organisationsnummer da=CVR/CVR-nummer no=organisasjonsnummer/orgnr fi=Y-tunnus cs=IČO/DIČ ro=CUI hu=adószám/cégjegyzékszám tr=vergi no ru=ИНН организации/ОГРН/КПП uk=ЄДРПОУ el=ΑΦΜ εταιρείας ja=法人番号 zh=统一社会信用代码/税号 ko=사업자등록번호
org_name: de=Firma/Firmenname/Lieferant/Unternehmen/Filiale/Hersteller/Einrichtung fr=raison sociale/société/fournisseur/établissement/entreprise es=empresa/razón social/proveedor/tienda it=ragione sociale/fornitore/azienda/negozio pt=empresa/razão social/fornecedor/loja nl=bedrijfsnaam/leverancier/winkel pl=nazwa firmy/dostawca/firma/sklep sv=företag/leverantör/butik da=virksomhed no=bedrift fi=yritys/toimittaja cs=název firmy/dodavatel/společnost ro=denumire firmă/furnizor hu=cégnév/szállító tr=firma adı/tedarikçi/şube ru=организация/поставщик/наименование организации ar=اسم الشركة/المورد he=שם חברה ja=会社名/店舗名/施設名/取引先 zh=公司名称/企业名称/供应商/店铺名称 ko=회사명/업체명/상호
generic_id: de=Nummer/Bestellnummer/Artikelnummer/Belegnummer/Rechnungsnummer/Vertragsnummer/Nr. fr=numéro/référence/numéro de commande/code article/n° facture es=número/código/referencia/número de pedido/folio it=codice/numero ordine/numero fattura/codice articolo pt=código/número do pedido/referência nl=nummer/artikelnummer/bestelnummer/factuurnummer pl=numer/nr zamówienia/numer faktury/indeks sv=nummer/ordernummer/artikelnummer da=ordrenummer/varenummer no=ordrenummer/varenummer fi=tilausnumero/tuotenumero cs=číslo objednávky/číslo faktury/kód ro=cod/număr comandă hu=azonosító/rendelésszám/cikkszám tr=sipariş no/ürün kodu/fatura no ru=номер/артикул/номер заказа/код uk=номер el=κωδικός/αριθμός ar=الرقم/رقم الطلب/الرمز he=מספר/קוד ja=番号/注文番号/商品コード/伝票番号 zh=编号/订单号/序号/货号 ko=번호/주문번호/상품코드 id=nomor/kode bg=номер hr=šifra
url: de=Webseite/Internetadresse fr=site web/lien es=sitio web/enlace it=sito web/link pt=site/link nl=website pl=strona www/adres www sv=webbplats fi=verkkosivu cs=web ru=сайт/ссылка ja=URL/ホームページ zh=网址/链接
place_name: de=Name/Standort/Gemeindename/Station fr=nom/lieu/commune/station es=nombre/lugar/estación it=nome/luogo/stazione/denominazione pt=nome/local/estação nl=naam/locatie pl=nazwa/lokalizacja/stacja sv=namn/plats ru=название/место/станция ja=名称/地点 zh=名称/地点/站名 ko=명칭/장소 fi=nimi/paikka cs=název/místo tr=adı/yer
date: de=Datum/Bestelldatum/Erstellt am/Rechnungsdatum/Eingangsdatum/Stichtag fr=date/date de commande/date de création/date d'échéance es=fecha/fecha de pedido/fecha de alta/fecha de creación it=data/data ordine/data registrazione/scadenza pt=data/data do pedido/data de cadastro nl=datum/besteldatum/aangemaakt op pl=data/data zamówienia/data utworzenia sv=datum/orderdatum da=dato/oprettet no=dato/opprettet fi=päivämäärä/luotu cs=datum/vytvořeno ro=data/data comenzii hu=dátum/rendelés dátuma tr=tarih/sipariş tarihi ru=дата/дата заказа/дата создания uk=дата el=ημερομηνία ar=التاريخ/تاريخ الطلب he=תאריך ja=日付/注文日/登録日/更新日 zh=日期/创建时间/更新时间/下单日期 ko=날짜/등록일/주문일 id=tanggal bg=дата hr=datum vi=ngày th=วันที่
year: de=Jahr/Baujahr/Geschäftsjahr fr=année/exercice es=año/ejercicio it=anno pt=ano nl=jaar/bouwjaar pl=rok sv=år da=år no=år fi=vuosi cs=rok ro=an hu=év tr=yıl ru=год uk=рік el=έτος ar=السنة he=שנה ja=年/年度 zh=年份/年度 ko=연도/년 id=tahun
month: de=Monat fr=mois es=mes it=mese pt=mês nl=maand pl=miesiąc sv=månad fi=kuukausi cs=měsíc ru=месяц ja=月 zh=月份 ko=월 tr=ay
time: de=Uhrzeit/Dauer fr=heure/durée es=hora/duración it=ora/durata pt=hora/duração nl=tijd/duur pl=godzina/czas trwania sv=tid fi=aika cs=čas ru=время/длительность ja=時刻/時間 zh=时间/时长 ko=시간
price: de=Preis/Einzelpreis/Stückpreis fr=prix/prix unitaire es=precio/precio unitario it=prezzo/prezzo unitario pt=preço/preço unitário nl=prijs pl=cena/cena netto sv=pris da=pris no=pris fi=hinta cs=cena ro=preț hu=ár/egységár tr=fiyat/birim fiyat ru=цена uk=ціна el=τιμή ar=السعر he=מחיר ja=価格/単価 zh=价格/单价 ko=가격/단가 id=harga
amount: de=Betrag/Summe/Gesamtbetrag/Umsatz/Saldo fr=montant/total/chiffre d'affaires/solde es=importe/monto/total/saldo it=importo/totale/fatturato/saldo pt=valor/montante/total/saldo nl=bedrag/totaal/omzet pl=kwota/wartość/suma/saldo sv=belopp/summa da=beløb no=beløp fi=summa cs=částka/celkem ro=suma/valoare hu=összeg tr=tutar/toplam ru=сумма/итого/выручка uk=сума el=ποσό ar=المبلغ/الإجمالي he=סכום ja=金額/合計/売上 zh=金额/总额/销售额 ko=금액/합계 id=jumlah/total
quantity: de=Menge/Anzahl/Stückzahl/Bestand fr=quantité/nombre/stock es=cantidad/existencias it=quantità/giacenza pt=quantidade/estoque nl=aantal/voorraad pl=ilość/liczba/stan sv=antal/kvantitet da=antal no=antall fi=määrä/lukumäärä cs=množství/počet ro=cantitate hu=mennyiség/darab tr=miktar/adet ru=количество/кол-во/остаток uk=кількість el=ποσότητα ar=الكمية/العدد he=כמות ja=数量/件数/在庫数 zh=数量/库存 ko=수량/건수 id=jumlah/stok
number: de=Wert/Kennzahl/Ergebnis/Punkte fr=valeur/résultat/points es=valor/resultado/puntos it=valore/risultato/punteggio pt=valor/resultado/pontos nl=waarde/resultaat pl=wartość/wynik sv=värde/resultat fi=arvo/tulos cs=hodnota/výsledek ru=значение/результат ja=値/結果/点数 zh=值/结果/得分 ko=값/점수 tr=değer/puan hu=érték ar=القيمة
percent: de=Anteil/Prozent/Quote/Rabatt fr=pourcentage/taux/part/remise es=porcentaje/tasa/descuento it=percentuale/tasso/sconto pt=percentual/taxa/desconto nl=percentage/korting pl=procent/udział/rabat sv=andel/procent fi=osuus/prosentti cs=podíl/procento/sleva ru=процент/доля/скидка ja=割合/率 zh=比例/百分比/折扣 ko=비율 tr=oran/indirim
status: de=Status/Zustand fr=statut/état es=estado/situación it=stato/esito pt=status/situação nl=status pl=status/stan sv=status fi=tila cs=stav ro=stare/status hu=állapot/státusz tr=durum ru=статус/состояние uk=статус el=κατάσταση ar=الحالة he=סטטוס ja=状態/ステータス zh=状态 ko=상태 id=status
category: de=Kategorie/Art/Typ/Gruppe/Bereich/Abteilung fr=catégorie/type/groupe/service es=categoría/tipo/grupo/departamento it=categoria/tipo/tipologia/reparto pt=categoria/tipo/grupo/setor nl=categorie/soort/type/afdeling pl=kategoria/typ/rodzaj/dział sv=kategori/typ/avdelning da=kategori/type no=kategori/type fi=luokka/tyyppi/osasto cs=kategorie/typ/oddělení ro=categorie/tip hu=kategória/típus tr=kategori/tür/departman ru=категория/тип/вид/отдел uk=категорія el=κατηγορία ar=الفئة/النوع/القسم he=קטגוריה/סוג ja=カテゴリ/種類/区分/部署 zh=类别/类型/部门 ko=분류/유형/부서 id=kategori/jenis bg=категория hr=kategorija
product: de=Artikel/Produkt/Bezeichnung/Artikelbezeichnung fr=produit/article/désignation/libellé es=producto/artículo/descripción it=prodotto/articolo/descrizione pt=produto/item/descrição nl=product/artikel/omschrijving pl=produkt/towar/nazwa produktu sv=produkt/artikel da=vare/produkt no=vare/produkt fi=tuote cs=produkt/zboží/název ro=produs hu=termék/megnevezés tr=ürün/ürün adı ru=товар/наименование/продукт uk=товар el=προϊόν ar=المنتج he=מוצר ja=商品名/品名/製品 zh=产品/商品名称/品名 ko=상품명/제품 id=produk/barang
title: de=Titel/Bezeichnung/Betreff/Thema fr=titre/intitulé/objet/libellé es=título/asunto/nombre it=titolo/oggetto/denominazione pt=título/assunto nl=titel/onderwerp pl=tytuł/temat/nazwa sv=titel/rubrik fi=otsikko cs=název/předmět ru=название/заголовок/тема ja=タイトル/件名 zh=标题/名称/主题 ko=제목 tr=başlık/konu hu=cím/tárgy
flag: de=aktiv/bezahlt/gültig/Newsletter fr=actif/payé/valide es=activo/pagado/válido it=attivo/pagato/valido pt=ativo/pago/válido nl=actief/betaald pl=aktywny/opłacony/zgoda sv=aktiv/betald fi=aktiivinen cs=aktivní/zaplaceno ru=активен/оплачено ja=有効/支払済 zh=是否有效/是否支付 ko=여부/사용여부 tr=aktif/ödendi hu=aktív
code: de=Code/Kürzel/Schlüssel fr=code/sigle es=código/clave it=codice/sigla pt=código/sigla nl=code pl=kod/symbol sv=kod fi=koodi cs=kód/zkratka ru=код/шифр ja=コード zh=代码/编码 ko=코드 tr=kod hu=kód ar=الرمز
population: de=Einwohner/Bevölkerung fr=population/habitants es=población/habitantes it=popolazione/abitanti pt=população/habitantes nl=inwoners/bevolking pl=ludność/liczba ludności sv=befolkning fi=väkiluku cs=počet obyvatel ru=население/численность ja=人口 zh=人口 ko=인구 tr=nüfus hu=népesség
measure: de=Gewicht/Höhe/Breite/Länge/Fläche/Temperatur/Volumen/Geschwindigkeit fr=poids/hauteur/largeur/surface/température/volume/vitesse es=peso/altura/ancho/superficie/temperatura/volumen/velocidad it=peso/altezza/larghezza/superficie/temperatura/volume/velocità pt=peso/altura/largura/área/temperatura/volume/velocidade nl=gewicht/hoogte/breedte/oppervlakte/temperatuur pl=waga/wysokość/szerokość/powierzchnia/temperatura sv=vikt/höjd/bredd/yta/temperatur fi=paino/korkeus/pinta-ala/lämpötila cs=hmotnost/výška/šířka/plocha/teplota ru=вес/высота/ширина/площадь/температура ja=重量/高さ/面積/温度 zh=重量/高度/面积/温度 ko=무게/높이/면적/온도 tr=ağırlık/yükseklik/alan/sıcaklık hu=súly/magasság/terület/hőmérséklet
unit: de=Einheit/Mengeneinheit fr=unité es=unidad it=unità pt=unidade nl=eenheid pl=jednostka/j.m. ru=ед. изм. ja=単位 zh=单位 cs=jednotka tr=birim
currency: de=Währung fr=devise es=moneda/divisa it=valuta pt=moeda nl=valuta pl=waluta sv=valuta ru=валюта ja=通貨 zh=币种 cs=měna tr=para birimi
colour: de=Farbe fr=couleur es=color it=colore pt=cor nl=kleur pl=kolor sv=färg ru=цвет ja=色 zh=颜色 cs=barva tr=renk
rating: de=Bewertung/Note fr=note/évaluation es=calificación/puntuación it=voto/valutazione pt=nota/avaliação nl=beoordeling pl=ocena sv=betyg ru=оценка/рейтинг ja=評価 zh=评分 cs=hodnocení tr=puan
description: de=Beschreibung/Text fr=description es=descripción it=descrizione pt=descrição nl=beschrijving/omschrijving pl=opis sv=beskrivning fi=kuvaus cs=popis ru=описание ja=説明/内容 zh=描述/说明 ko=설명 tr=açıklama hu=leírás ar=الوصف
rank: de=Rang/Platz/Nr. fr=rang/classement es=posición/puesto it=posizione/classifica pt=posição nl=positie pl=miejsce/lp. sv=placering ru=место/№ п/п ja=順位/No zh=排名/序号 ko=순위/순번 cs=pořadí tr=sıra
"""


def _english() -> dict[str, tuple[str, ...]]:
    found = {}
    for line in ENGLISH.strip().splitlines():
        concept, _, phrases = line.partition(": ")
        found[concept] = tuple(phrases.split("|"))
    return found


def _lexicon() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in LEXICON.strip().splitlines():
        concept, _, rest = line.partition(": ")
        parts = re.split(r"(?:^| )([a-z]{2})=", rest)
        found[concept] = {parts[i]: tuple(parts[i + 1].split("/")) for i in range(1, len(parts), 2)}
    return found


CONCEPTS = {
    "PERSON": "full_name", "FIRST_NAME": "first", "LAST_NAME": "last", "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone", "STREET_ADDRESS": "address", "CITY": "city", "POSTAL_CODE": "postal",
    "DATE_OF_BIRTH": "birth", "AGE": "age", "GENDER": "gender", "USERNAME": "username", "PASSWORD": "password",
    "NATIONAL_ID": "national", "PASSPORT": "passport", "BANK_ACCOUNT": "account", "DRIVER_LICENSE": "licence",
    "PERSON_ID": "pid", "MEDICAL_RECORD": "mrn", "NATIONALITY": "nationality", "RELIGION": "religion",
    "MARITAL_STATUS": "marital", "OCCUPATION": "occupation", "INCOME": "income",
}  # fmt: skip
"""Entity → the concept whose columns `header_languages.txt` names."""


def _more(found: dict[str, dict[str, tuple[str, ...]]]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The lexicon with the headers of `header_languages.txt`, each once."""
    language = ""
    for line in Path(__file__).with_name("header_languages.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
        elif line and language != "en" and not line.startswith("#"):
            entity, _, headers = line.partition(": ")
            known = found.setdefault(CONCEPTS[entity], {})
            known[language] = tuple(dict.fromkeys((*known.get(language, ()), *headers.split("; "))))
    return found


PHRASES = _english()
FOREIGN = _more(_lexicon())

Style = Callable[[str], str]


@cache
def words(phrase: str) -> tuple[str, ...]:
    """The words of a phrase, as they are to be joined by a style."""
    return tuple(w for w in re.split(r"[\s_\-.,/()#:'’]+", phrase) if w)


@cache
def plain(text: str) -> str:
    """Without the accents of Latin letters."""
    text = (
        text.replace("ß", "ss")
        .replace("ø", "o")
        .replace("ł", "l")
        .replace("ı", "i")
        .replace("æ", "ae")
        .replace("đ", "d")
    )
    kept = unicodedata.normalize("NFKD", text)
    return (
        text
        if any(ord(c) > 0x24F and not unicodedata.combining(c) for c in kept)
        else "".join(c for c in kept if not unicodedata.combining(c))
    )


def _short(word: str) -> str:
    """A word as old systems cut it: "customer" → "CSTMR", "name" → "NM"."""
    bare = word[0] + re.sub("[aeiouy]", "", word[1:].lower()) if word.isascii() and len(word) > 3 else word
    return bare[:5]


def _title(phrase: str) -> str:
    return " ".join(w if w.isupper() else w[:1].upper() + w[1:] for w in phrase.split(" "))


STYLES: dict[str, Style] = {
    "snake": lambda p: "_".join(words(p)).lower(),
    "camel": lambda p: "".join(w.lower() if i == 0 else w[:1].upper() + w[1:].lower() for i, w in enumerate(words(p))),
    "pascal": lambda p: "".join(w if w.isupper() else w[:1].upper() + w[1:].lower() for w in words(p)),
    "upper_snake": lambda p: "_".join(words(p)).upper(),
    "title": lambda p: _title(p.replace("_", " ")),
    "sentence": lambda p: (q := p.replace("_", " "))[:1].upper() + q[1:],
    "lower": lambda p: p.replace("_", " ").lower(),
    "as_is": lambda p: p,
    "kebab": lambda p: "-".join(words(p)).lower(),
    "dots": lambda p: ".".join(words(p)).lower(),
    "joined": lambda p: "".join(words(p)).lower(),
    "upper_joined": lambda p: "".join(words(p)).upper(),
    "upper": lambda p: p.replace("_", " ").upper(),
    "pascal_snake": lambda p: "_".join(w[:1].upper() + w[1:].lower() for w in words(p)),
    "short": lambda p: "_".join(_short(w) for w in words(p)).upper(),
    "short_lower": lambda p: "_".join(_short(w) for w in words(p)).lower(),
}
_STYLE_WEIGHTS = {
    "snake": 26,
    "title": 16,
    "pascal": 11,
    "camel": 8,
    "lower": 6,
    "sentence": 6,
    "as_is": 5,
    "upper_snake": 7,
    "joined": 3,
    "upper_joined": 2,
    "kebab": 1.5,
    "dots": 2,
    "upper": 2.5,
    "pascal_snake": 3,
    "short": 1.5,
    "short_lower": 1,
}
_NAMES, _WEIGHTS = list(_STYLE_WEIGHTS), list(_STYLE_WEIGHTS.values())

VAGUE = (
    "name value code field1 data info x y description type id text column item key field value1 attr1 no var1 "
    "detail other misc content label title ref entry param val col1 f1 result"
).split()


def styles(rng: random.Random) -> Style:
    """How the headers of one table are written."""
    chosen = STYLES[rng.choices(_NAMES, _WEIGHTS)[0]]
    ascii_only = rng.random() < 0.45
    prefix = (
        rng.choice("c_ f_ str_ fld_ tbl_ x_ p_ t_ a. src. user. data. v_ raw_".split()) if rng.random() < 0.04 else ""
    )
    suffix = rng.choice("_txt _1 _c __c _cd _val".split()) if rng.random() < 0.02 else ""
    return lambda phrase: prefix + chosen(plain(phrase) if ascii_only else phrase) + suffix


def script(text: str) -> str:
    """A rough name of the letters a text is in."""
    for c in text:
        code = ord(c)
        if code < 0x250:
            continue
        for name, low, high in (
            ("el", 0x370, 0x3FF), ("cyrillic", 0x400, 0x52F), ("he", 0x590, 0x5FF), ("ar", 0x600, 0x6FF), ("th", 0xE00, 0xE7F), ("ko", 0xAC00, 0xD7AF),
            ("ja", 0x3040, 0x30FF), ("han", 0x4E00, 0x9FFF),
        ):  # fmt: skip
            if low <= code <= high:
                return name
    return "latin"


SCRIPTS = {
    "el": "el",
    "ru": "cyrillic",
    "uk": "cyrillic",
    "bg": "cyrillic",
    "he": "he",
    "ar": "ar",
    "th": "th",
    "ko": "ko",
    "ja": "han",
    "zh": "han",
}


def phrase(rng: random.Random, concept: str, language: str, local: bool, rule_phrases: tuple[str, ...] = ()) -> str:
    """A phrase for a concept, in `language` where `local`; now and then one of a rule's, in letters that fit."""
    if rule_phrases and rng.random() < 0.3:
        found = rule_phrases[rng.randrange(len(rule_phrases))]
        if script(found) in ("latin", SCRIPTS.get(language, "latin") if local else "latin"):
            return found
    if local and (terms := FOREIGN.get(concept, {}).get(language)):
        return rng.choice(terms)
    return rng.choice(PHRASES[concept])


def unusable(rng: random.Random, columns: int) -> list[str | None]:
    """Headers that say nothing: none at all, running numbers, letters."""
    kind = rng.randrange(9)
    start = rng.randrange(2)
    if kind < 3:
        return [None] * columns
    if kind == 8:
        return [""] * columns
    form = (
        "col_{}",
        "V{}",
        "Unnamed: {}",
        "field_{}",
        rng.choice(
            [
                "c{}",
                "column{}",
                "Column {}",
                "X{}",
                "{}",
                "attr{}",
                "f_{:02d}",
                "Spalte{}",
                "Field{}",
                "_c{}",
                "var{:03d}",
            ]
        ),
    )[kind - 3]
    return [form.format(i + start) for i in range(columns)]
