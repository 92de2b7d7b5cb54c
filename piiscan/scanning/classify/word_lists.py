"""Words that say something about a header's other words, a table's rows or a cell's text.

All folded (see `piiscan.core.header_words.fold`). What names an entity stands in `rules/`; these only change how far
that is believed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from piiscan.scanning.classify.role_words import ROLES


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABOUT: Final = _words("""
    is has flag flags count counts cnt num verified valid validated rate ratio avg average mean median min max sum
    total totals pct percent percentage score scores rank ranking length len size format timestamp created updated
    modified expiry expires expired expiration version type types status method methods per capita change diff
    difference growth std stdev var variance quality bool boolean enabled active required optional consent optin
    subscribed received sent opened clicked index idx id ids key keys code codes uuid level category kind class
    group period duration number numbers days hours minutes seconds months years quarter week date time datetime year
    source reason available anzahl quote nombre_de numero_de cantidad porcentaje percentuale quantidade aantal liczba
    antal media promedio moyen moyenne durchschnitt durchschnittlich gemiddelde gemiddeld srednia sredni prumer prumerny
    medelvarde gjennomsnitt gennemsnit keskiarvo atlag ortalama средний средняя 平均 평균
    类型 状态 日期 时间 数量 類型 狀態 種別 種類 区分 有無 件数 日付 日時 フラグ 状態 状況
    구분 종류 여부 상태 일자 날짜 ประเภท วันที่ จำนวน
    тип статус количество дата tipo tipe jenis jumlah tur durum typ anzahl
""")
"""After a phrase these turn "the thing" into "a fact about the thing": email_verified, phone type, country id."""

BEFORE: Final = _words(
    "is has flag count cnt num total avg average mean median max min sum rate "
    "pct percent percentage nbr n per number mode std "
    "promedio moyen moyenne durchschnittliches durchschnittliche durchschnittlicher gemiddelde srednia sredni srednie "
    "prumerny prumerna genomsnittlig gjennomsnittlig gennemsnitlig atlagos ortalama средний средняя 平均 평균"
)
"""In front of a phrase these make it a count, a flag or a statistic: is_email, num_phones, total_patients,
average_age."""

NEUTRAL: Final = (
    _words("""
    the a an of de la el le les du des di da do dos del della der die das von van het een i y e et und and or o en para
    per for s my your his her their our this current primary main secondary full first second third old new original
    previous latest home work personal private business office contact billing shipping mailing residential permanent
    bill ship to from name names nm value field text txt str raw clean cleaned col column data info information details
    usa us uk eu eng en abbreviation official registered legal local native long short complete exact customer
    hash hashed md5 sha masked encrypted
    customers client clients patient patients employee employees emp staff worker person people persons user users
    member members student students passenger passengers owner owners host guest driver applicant candidate contact
    subscriber donor buyer seller recipient sender holder individual respondent participant head insured spouse mother
    father parent parents guardian child children kunde kunden klient klienta mitarbeiter patienten cliente clientes
    paciente empleado alumno aluno funcionario dipendente paziente klant medewerker pracownik pracownika pacjent
    asiakas musteri hasta personel vevo ugyfel zakaznik in years yrs at on no nr cod kana furigana カナ かな フリガナ
    ふりがな 漢字 na ng ka ki की का के na la lui cu und ja un ir и та و
""")
    | ROLES
)
"""Words beside a phrase that change nothing."""

PERSON_ROLE: Final = (
    _words("""
    customer customers client clients patient patients employee employees emp staff worker workers person people
    persons personal user users funcionario vendedor vendedores gerente medico medicos professor professores aluno
    cliente socio persona personas empleada vendeur member members student students pupil pupils passenger passengers
    driver drivers applicant applicants candidate candidates subscriber subscribers donor donors buyer buyers guest
    guests resident residents citizen voter voters respondent respondents participant participants insured spouse
    mother father parent child teacher teachers author player players athlete athletes senator senators inmate inmates
    victim victims suspect suspects defendant offender offenders doctor doctors physician nurse attorney lawyer
    borrower borrowers cardholder policyholder tenant tenants individual individuals friend friends personnel hr
    payroll hire hires leads prospects mothers fathers actor actors artist artists politician politicians legislators
    sender recipient personne kunde kunden mitarbeiter patienten schuler studenten benutzer nutzer clients employes
    salaries patients eleves etudiants utilisateurs clientes empleados pacientes alumnos usuarios estudiantes clienti
    dipendenti pazienti studenti utenti persone funcionarios alunos pessoas klanten medewerkers klienci pracownicy
    pacjenci studenci uzytkownicy kunder anstallda asiakkaat zakaznici zamestnanci angajati musteriler personel
    ugyfelek klientai caller callers callee attendee attendees payer payee beneficiary tenants heir heirs pensioner
    pensioners volunteer volunteers invitee invitees requester assignee leader leaders kid baby husband wife son
    daughter relative sibling caregiver carer guardian coach director
    rider riders courier renter lessee landlord mentee trainee apprentice supervisor instructor lecturer nominee
    claimant plaintiff complainant witness juror roommate teammate runner rower swimmer skater golfer cyclist
    soldier shareholder delegate alumnus researcher inventor signatory petitioner migrant refugee cashier technician
    therapist dentist midwife surgeon pharmacist councillor mayor taxpayer homeowner leaseholder bride groom decedent
    ancestor descendant dependant dependent msisdn appelant appele llamante llamado anrufer angerufener chiamante
    chiamato abonent abonenta abonne abonnent abonado абонент абонента calling called dialed dialled ani dnis
    consumer consumers
""")
    | ROLES
)
"""In a header or a table's name: the rows are, or speak of, natural persons."""

PEOPLE: Final = _words("""
    customers clients patients employees workers people persons users members students pupils passengers drivers
    applicants candidates subscribers donors buyers guests residents citizens voters respondents participants teachers
    players men women males females children visitors owners inhabitants households graduates enrolled enrollment
    headcount staff attendance audience viewers mitarbeiter kunden patienten schuler studenten einwohner besucher
    nutzer beschaftigte manner frauen clients salaries patients eleves etudiants habitants visiteurs hommes femmes
    clientes empleados pacientes alumnos usuarios estudiantes habitantes hombres mujeres clienti dipendenti pazienti
    studenti utenti abitanti residenti funcionarios alunos pessoas klanten medewerkers inwoners klienci pracownicy
    mieszkancy
""")
"""Over numbers these count persons."""

ANIMAL: Final = _words("""
    animal animals dog dogs cats horse horses cow cows cattle pig pigs sheep goat goats poultry chicken hen hens bird
    birds fish crab crabs insect insects bee bees livestock herd flock breed breeds species subspecies genus taxon
    kennel puppy kitten dam sire flipper feather feathers plumage antler antlers fur shucked viscera carcass larva
    larvae tiere hund hunde katze katzen pferd pferde rind rinder tierart animaux chien cheval espece animales perro
    gato caballo especie animale cane gatto cavallo specie hond paard gatunek zwierze
    stallion stallions mare mares foal foals hengst hengste hengsten stute stuten hingst hingstar
    baumart baumarten boomsoort traslag treslag puulaji
""")
"""In a header or a table's name: sex, age and birth are those of animals."""

LABORATORY: Final = _words("""
    sgot sgpt ggt bilirubin hgb haemoglobin hemoglobin hct hematocrit haematocrit wbc rbc plt platelets creatinine egfr
    bun ldl hdl triglycerides tsh inr sbp dbp hba ferritin troponin leukocytes leukozyten kreatinin hamoglobin
    thrombozyten hemoglobina creatinina
""")
"""In headers over numbers: what laboratories measure of patients, and of neither food nor water."""

INVENTED: Final = _words("""
    characters superheroes superhero villains fictional pokemon pokemons personnages personajes personagens personaggi
    romanfiguren spielfiguren superhelden personages postacie bohaterowie персонажи герои キャラクター 人物角色
""")
"""In a table's name: rows are about figures that somebody invented."""

KIN: Final = _words("mother mothers father fathers parent parents child baby son daughter")
"""Among words for persons those that animals have too."""

BREED: Final = _words(
    "species subspecies breed breeds genus taxon tierart hunderasse espece especie gatunek razza rasse rase ras rotu "
    "plemeno порода"
)
"""Headers with these words say that rows are about animals, or plants."""

OF_CREATURES: Final = ANIMAL | INVENTED | KIN | _words("name names nombre nom nome naam imie pet pets alias dam sire")
"""Headers of nothing but these words name the animals or figures that rows are about, and their parents."""

TOTALS: Final = _words(
    "total totals both all overall combined insgesamt gesamt zusammen ensemble tous ambos todos totale tutti "
    "totaal allen razem ogolem"
) | {"both sexes", "all ages", "all sexes", "all persons", "beide geschlechter", "ambos sexos", "les deux"}
"""A cell of a column of sexes or age groups that says this: the table counts groups."""

PLACEHOLDER: Final = _words(
    "col cols column columns field fields var variable feature feat attr attribute spalte feld colonne champ "
    "columna campo colonna coluna kolom kolumna pole"
)
"""With or without a number, these name nothing."""

QUESTION: Final = _words("""
    what which how who whose where when why please enter select choose tell give do does did you your are is was were
    have the a an in live lives of us we would best describes describe following any other was wie welche welcher
    welches welchen wer wo wann bitte geben sind ist haben sie ihr ihre ihren ihrem du dein deine quel quelle quels
    quelles qui ou quand comment est votre vos avez etes vous cual cuales que quien donde cuando como es son su tu sus
    tiene vive qual quali dove quando sua seu voce mora jaki jaka jakie gdzie kiedy jest twoj twoja pan pani wat welk
    welke hoe waar wanneer bent u uw
""")
"""Words of questions, neither for nor against what is asked for."""

ASKING: Final = _words(
    "what which how who whose where when please wie was welche welcher welches wer wo wann quel quelle comment "
    "cual cuales que donde como qual quali dove jaki jaka jakie gdzie wat welk welke hoe waar"
)
"""First words of headers that are questions."""

PATIENTS: Final = _words("patient patients patienten pazienti pacientes pacjenci patienter potilaat pacienti hastalar")

ORGANISATION_ROLE: Final = _words("""
    company companies organization organizations organisation organisations business businesses vendor vendors supplier
    suppliers store stores shop shops hospital hospitals clinic clinics bank banks school schools university
    universities college colleges agency agencies restaurant restaurants hotel hotels merchant merchants manufacturer
    manufacturers publisher publishers firm firms brand brands airline airlines institution institutions provider
    providers payer payers facility facilities carrier carriers library libraries museum museums club clubs team teams
    prison court courts startup startups charity ngo pharmacy pharmacies dealer dealers branch branches warehouse
    warehouses office offices department departments firma firmen lieferant lieferanten empresa empresas proveedores
    azienda aziende fornitori fornecedores bedrijven leveranciers firmy dostawcy foretag leverandorer yritykset
    dodavatele sirketler cegek merk merken marke marken marque marques marcas marka marki znacka znacky merkki
    merke maerke jenama merek brend бренд марка ブランド 品牌 브랜드 hersteller fabrikant fabricant fabricants
    fabricante fabricantes produttore produttori producent producenci vyrobce vyrobca valmistaja tillverkare produsent
    gyarto uretici производитель виробник κατασκευαστησ メーカー 厂家 生产商 製造商 제조사 maker makers mfr mfg
    leverancier proveedor fornitore fornecedor fournisseur fournisseurs dostawca dodavatel leverantor leverantorer
    leverandor tedarikci beszallito furnizor furnizori поставщик поставщики постачальник προμηθευτησ 仕入先 供应商
    供應商 공급업체 pemasok societe societes entreprise entreprises sociedad societa impresa imprese ditta ditte
    bedrijf spolka spolki podjetje podjetja tvrtka tvrtke spolecnost spolocnost yritys virksomhed virksomheder bedrift
    bedrifter vallalat ceg cegnev sirket societatea compania companii компания компании фирма организация предприятие
    компанія εταιρεια επωνυμια 会社 会社名 企業 公司 企业 회사 회사명 업체 업체명 상호 perusahaan syarikat filiale
    filialen filial filialer magasin magasins tienda tiendas negozio negozi loja lojas winkel winkels sklep sklepy
    obchod prodejna prodavnica trgovina uzlet kauppa butik butiker butikk butikker magaza магазин магазины филиал 店舗
    支店 门店 門市 분점 지점 매장 cabang schule schulen ecole ecoles escuela escuelas escola escolas scuola scuole
    scholen szkola szkoly skola skoly skole skoler koulu koulut iskola iskolak okul okullar sekolah школа школы 学校
    학교 banken banque banques banco bancos banca banche pankki pankit банк банки 銀行 银行 은행 krankenhaus
    krankenhauser klinik kliniken hopital hopitaux ospedale ospedali ziekenhuis ziekenhuizen szpital szpitale nemocnice
    sairaala sjukhus sykehus hastane korhaz больница больницы 病院 医院 병원 mannschaft mannschaften equipe equipes
    equipo equipos squadra squadre druzyna druzyny joukkue joukkueet csapat команда команды チーム 球队 verein vereine
    klub kluby klubi kulup клуб клубы クラブ 俱乐部 클럽 weingut weinguter domaine domaines bodega bodegas cantina
    kurum kurumu einrichtung einrichtungen etablissement etablissements placowka placowki entidade entidades institucion
    instituciones instituicao istituto istituti instelling instellingen instytucja instytucje учреждение учреждения
    заклад 施設 施設名 機関 机构 機構 기관 기관명 시설명
""")

OWN_PAGE: Final = tuple(
    tuple(phrase.split())
    for phrase in """home page|linked in|git hub|git lab|facebook|instagram|twitter|tik tok|xing|mastodon|bluesky
    |my space|orcid|profile|profil|perfil|profilo|blog|weblog|portfolio|hemsida|hjemmeside|kotisivu|honlap""".split("|")
)
"""In a header of web addresses: pages of somebody's own, where the rows are about persons."""

THING: Final = _words("""
    product products item items movie movies film films book books song songs album albums track tracks game games car
    cars vehicle vehicles model phone_model laptop device devices app apps recipe recipes house houses building
    buildings property properties apartment listing listings bridge species plant plants animal animals dog dogs crab
    fish bird birds wine wines beer coffee food stock stocks article articles news paper papers asset assets sku parts
    part machine sensor sensors chemical drug drugs element elements planet star file files produkt produkte produkty
    produit produits producto productos prodotto prodotti produto produtos vara varor tuote episode episodes season
    show storm storms hurricane hurricanes typhoon typhoons cyclone cyclones ship ships boat boats yacht yachts weapon
    disease_name engine horsepower mpg transmission fuel bedrooms
    bathrooms sqft floors genre price author_rating isbn publisher vernacular taxon variety cultivar instrument
    telescope vessel vessels modell modelle modele modeles modelo modelos modello modelli malli mudel модель модели
    モデル 型号 型番 모델 artikel articulo articulos articolo articoli artigo artigos artykul artykuly zbozi tavara
    vare urun urunler termek termekek produs produse товар товары продукт продукты продукция 商品 商品名 品名 产品 產品
    상품 상품명 제품 제품명 품목 barang fahrzeug fahrzeuge vehicule vehicules vehiculo vehiculos veicolo veicoli
    veiculo veiculos voertuig voertuigen pojazd pojazdy vozidlo vozidla ajoneuvo fordon kjoretoy koretoj jarmu
    автомобиль автомобили 車両 车辆 차량 kendaraan gerat gerate appareil appareils dispositivo dispositivos apparaat
    apparaten urzadzenie urzadzenia zarizeni laite laitteet eszkoz cihaz cihazlar устроиство устроиства 設備 设备 장비
    maschine maschinen maquina maquinas macchina macchine maszyna maszyny станок buch bucher livre livres libro libros
    libri livro livros boek boeken ksiazka ksiazki kniha knihy kirja kirjat konyv kitap kitaplar книга книги 書籍 图书
    도서 buku pelicula peliculas chanson chansons cancion canciones canzone canzoni musica piosenka piosenki wein weine
    vino vinos vini vinho vinhos wijn wijnen pflanze pflanzen plante pianta piante roslina rosliny immobilie immobilien
    immeuble immeubles inmueble inmuebles immobile immobili imovel imoveis nieruchomosc nemovitost gebaude batiment
    batiments edificio edifici edificios gebouw gebouwen budynek budynki budova rakennus byggnad bygning epulet здание
    здания 建物 건물 gedung 车型 车系 機種 機器 kernelspec
    container containers namespace namespaces pipeline pipelines dashboard dashboards plugin plugins module modules
    package packages repository repositories repo repos charset charsets collation collations font fonts theme themes
    lineitem
""")

PLACE: Final = _words("""
    volcano mountain mountains river rivers lake park venue stadium airport airports station stations stop stops city
    cities country countries region regions province provinces municipality municipalities postal zip zipcodes postcode
    earthquake earthquakes volcanoes landslide elevation county counties states territory comuni comune gemeinden
    communes municipios miasta stadt stadte ville villes ciudad ciudades citta cidade cidades steden miasto mesto mesta
    kaupunki sehir sehirler varos varosok oras orase город города 都市 城市 도시 kota pays pais paises paese paesi
    orszag страна страны 国家 국가 negara fluss flusse riviere rivieres fiume fiumi rzeka rzeki bahnhof bahnhofe
    haltestelle haltestellen gare gares estacion estaciones stazione stazioni estacao estacoes przystanek przystanki
    stacja stacje stanice zastavka zastavky asema asemat pysakki pysakit hallplats hallplatser stasjon allomas megallo
    istasyon istasyonlar durak duraklar statie statii pietura pieturas станция станции остановка остановки 駅 駅名 车站
    車站 역 역명 정류장 stasiun halte haltes flughafen aeroport aeroports aeropuerto aeropuertos aeroporto aeroporti
    lotnisko lotniska letiste lentokentta flygplats lufthavn havaalani repuloter аэропорт 空港 机场 공항 bandara
""")

EVENT: Final = _words("""
    order orders sale sales invoice invoices transaction transactions payment payments flight flights match matches
    trip trips booking bookings visit visits event events log logs session sessions call calls message messages tweet
    tweets comment comments review reviews click clicks return returns shipment shipments ticket tickets appointment
    appointments bestellungen ventes commandes pedidos ordini zamowienia bestellung auftrag auftrage rechnung
    rechnungen commande facture factures pedido factura facturas ordine fattura fatture fatura faturas encomenda
    encomendas bestelling bestellingen factuur facturen zamowienie faktura faktury objednavka objednavky tilaus
    tilaukset lasku laskut bestallning ordrer siparis siparisler rendeles szamla szamlak comanda comenzi facturi заказ
    заказы фактура 注文 受注 订单 訂單 发票 發票 주문 pesanan lieferung lieferungen livraison livraisons entrega
    entregas consegna consegne levering leveringen dostawa dostawy dodavka toimitus leverans teslimat szallitas
    доставка доставки 配送 배송 pengiriman buchung buchungen reservation reservations reservierung reservierungen
    reserva reservas prenotazione prenotazioni reservering rezerwacja rezerwacje rezervace varaus bokning bokningar
    rezervasyon foglalas бронирование 予約 预订 예약 zahlung zahlungen paiement paiements pago pagos pagamento
    pagamenti pagamentos betaling betalingen platnosc platnosci platba platby maksu betalning odeme odemeler fizetes
    платеж платежи 支払 付款 결제 pembayaran spiel spiele partita partite jogo jogos wedstrijd wedstrijden mecz mecze
    zapas zapasy ottelu meccs матч матчи 試合 比赛 경기 vuelo vuelos volo voli voo voos vlucht vluchten lety
""")

NOT_PERSONS: Final = THING | PLACE | ORGANISATION_ROLE | EVENT

AGGREGATE: Final = _words("""
    population count counts total totals number percent percentage pct share rate rates cases deaths per capita gdp
    births unemployment inhabitants households mean median average avg sum votes turnout prevalence incidence mortality
    employed frequency freq proportion estimate estimates forecast cumulative n sd se stdev stderr ci quantile
    percentile impressions clicks conversions ctr anzahl anteil bevolkerung durchschnitt effectif moyenne taux cantidad
    promedio tasa poblacion tasso popolazione liczba srednia aantal gemiddelde
""")

COUNTED: Final = AGGREGATE | _words("pop popn popul popest obs dths dth brths brth")
"""Headers of numbers of people, also cut short, where all other columns are groups."""

AREA: Final = _words(
    "geo geoid fips area areacd reg region regcd nuts county cnty ags insee gmina kreis tract precinct"
)
"""In a header: parts of a country, for which statistics are made."""

STREET_WORDS: Final = _words("""
    street st str avenue ave av boulevard blvd road rd lane ln drive dr court ct circle cir place pl square sq terrace
    ter terr highway hwy parkway pkwy way trail trl crescent cres close grove gardens alley plaza crossing pike
    turnpike expressway route rte suite ste apt apartment unit floor box building bldg mall broadway loop point ridge
    junction parade mews row wharf quay strasse platz weg allee gasse ring damm ufer chaussee rue chemin impasse quai
    cours calle avenida avda paseo carretera camino ronda travesia piso via viale piazza corso largo vicolo strada
    contrada rua praca travessa alameda estrada rodovia straat laan plein gracht kade dijk steenweg singel ulica ul
    aleja al plac osiedle gatan gata vagen vag vej gade alle veien vei gate katu tie kuja ulice namesti trida
    bulevardul aleea sokak cadde caddesi mahallesi utca ter korut gatve nagar marg chowk sector jalan jl bd улица
    проспект переулок шоссе
""")

STREET_ENDINGS: Final = (
    "strasse",
    "straat",
    "weg",
    "platz",
    "gasse",
    "laan",
    "plein",
    "gracht",
    "gatan",
    "vagen",
    "vej",
    "gade",
    "veien",
    "gata",
    "katu",
    "tie",
    "allee",
    "ring",
    "steenweg",
    "dijk",
    "kade",
    "singel",
)

OF_THINGS: Final = _words("""
    version versions ver build release firmware revision rev section clause oid timestamp timestamps epoch ts unix
    created updated modified isbn issn ean gtin upc barcode sku part article hash checksum md5 sha sha1 sha256 digest
    fingerprint commit etag price prices amount amounts cost costs total sum balance qty quantity weight height width
    depth distance temperature pressure voltage reading sensor signal measurement latency duration elapsed bytes size
    offset population revenue sales volume frequency
""")
"""In a header: the cells are times, codes of things or measurements, whatever numbers they look like."""

AMOUNTS: Final = _words("""
    price prices amount amounts cost costs total totals subtotal sum balance fee fees tax vat discount revenue turnover
    spend spending betrag summe preis preise saldo umsatz gebuhr rabatt montant prix solde frais importe precio precios
    coste costo valor preco precos custo importo prezzo prezzi totale bedrag prijs totaal kwota cena suma wartosc castka
    celkem belopp pris belob belop hinta summa maara tutar fiyat toplam bakiye osszeg iznos cijena pret
    сумма цена стоимость итого ціна вартість 金額 合計 価格 金额 价格 单价 总价 금액 가격 합계 المبلغ السعر الاجمالي
""")
"""In a header: amounts of money that change hands, not pay."""

DATES_OF_EVENTS: Final = _words("""
    hired hire hiring joined joining start started begin beginning end ended expiry expires expiration issued issue
    registered registration enrolled enrolment enrollment admitted admission discharge discharged appointed appointment
    visit visited seen login contact paid payment due order ordered delivery created updated modified opened closed
    signed contract death died deceased diagnosed diagnosis vaccinated termination terminated retired retirement
    einstellung eintritt eintrittsdatum austritt beginn anfang ende aufnahme entlassung zugang abgang vertragsbeginn
    embauche entree sortie debut fin inscription adhesion arrivee depart deces contratacion ingreso alta baja inicio
    fin inscripcion fallecimiento defuncion assunzione inizio fine iscrizione decesso admissao inicio fim inscricao
    obito zatrudnienia rozpoczecia zakonczenia przyjecia wypisu zgonu nastup nastupu vznik ukonceni umrti
    anstallningsdatum startdatum slutdatum inskrivning ansaettelsesdato startdato sluttdato ansattdato alkaen
    aloituspvm paattymispvm indiensttreding uitdienst aanvang belepes kilepes felvetel zaposlenja angajarii baslangic
    bitis giris cikis kayit vefat приема приёма увольнения начала окончания поступления выписки смерти регистрации
    入社 入社日 退社日 入学 卒業 登録日 入职 入职时间 入职日期 离职 毕业 登记
    입사일 퇴사일 입학 졸업 등록일 التعيين الالتحاق الانتهاء التسجيل الوفاة
    εγγραφησ προσληψησ αποχωρησησ εναρξησ ληξησ θανατου επισκεψησ εκδοσησ прииняття звільнення початку закінчення
    видачі реєстраціі смерті вступу постъпване напускане начало краи издаване регистрация смърт выдачи выдан вступления
    посещения договора upisa pocetka zavrsetka izdavanja smrti prijema prijave pristupanja uclanjenja isteka pristupa
    registrace prijeti propusteni vydani zapisu vystupu zacatku konce registracie prijatia vydania ukoncenia zaciatku
    rejestracji wydania wizyty zawarcia przystapienia przyjecie wypis zgon regisztracio kiallitas lejarat halalozas
    kezdet vege csatlakozas beiratkozas felveteli inregistrare inregistrarii eliberare eliberarii expirare expirarii
    decesului inscriere inscrierii angajare inceput sfarsit baslama ayrilma olum islem sozlesme uyelik iseginme
    rilascio scadenza visita matrimonio emision vencimiento expedicion contrato emissao validade contratacao cadastro
    falecimento delivrance mariage dissolution heirat trauung ausstellung ablauf besuch tod sterbedatum gestorben
    verstorben beitritt beitrittsdatum vertragsende kundigung kuendigung inschrijving uitgifte afgifte overlijden
    aanmelding afmelding lidmaatschap dodsdato dodsdatum utfardad utfardat utstedt udstedt inntreden innmeldt indmeldt
    intradesdatum intrade utskrivning innskrivning kuolinaika kuolinpaiva liittymispaiva paattyy alkaa surmaaeg
    liitumine algus lopp registreerimine registracijos pabaigos pradzios mirties nutraukimo sakuma beigu iestasanas
    miris 入会日 退会日 入院日 退院日 発行日 有効期限 受診日 死亡日 契約日 開始日 終了日 加入日 就職日 入院日期
    出院日期 签约 注册时间 注册日期 开始 结束 有效期 入学日期 毕业日期 到职日 離職日 報到日 가입일 해지일 만료일 발급일
    입원일 퇴원일 계약일 시작일 종료일 입회일 masuk keluar daftar terbit mulai selesai meninggal pendaftaran daftaran
    tamat bergabung
""")
"""In a header: dates of what happens later in life."""

KEYS_OF_THINGS: Final = _words("""
    order orders invoice invoices receipt ticket tickets case cases tracking track trace shipment shipments shipping
    parcel waybill consignment delivery batch lot job product products item items asset model transaction transactions
    txn quote quotation voucher coupon reference serial booking po encounter encounters
    bestellung bestell auftrag auftrags rechnung rechnungs lieferschein sendung sendungs commande facture colis
    livraison pedido factura albaran envio ordine fattura spedizione fatura encomenda bestelling bestel factuur zending
    zamowienie zamowienia faktura faktury przesylka przesylki ordre tilaus lasku заказ заказа накладная 订单 注文 주문
""")
_OF_KEYS: Final = tuple("number numbers nummer nr num no id code ref 编号 番号 번호 号 號".split())
"""What such a word may be written as one with."""


def names_keys_of_things(words: Iterable[str]) -> bool:
    """Whether a header's words say that the numbers below it are keys of things.

    A check that passes beyond chance outweighs that.

    >>> names_keys_of_things(["ordernumber"]), names_keys_of_things(["customer", "no"]), names_keys_of_things(["order"])
    (True, False, True)
    """
    return any(
        word in KEYS_OF_THINGS or any(word.removesuffix(end) in KEYS_OF_THINGS for end in _OF_KEYS) for word in words
    )


SHARES: Final = _words("""
    pct percent percents percentage percentages perc proportion proportions share shares prozent prozentual anteil
    anteile pourcentage pourcentages porcentaje porcentajes percentuale percentuali percentagem porcentagem percentual
    procent procenten procentage procenty odsetek prosent prosentti prosenttia andel процент доля 比率 割合 百分比
""")
"""In a header: the numbers below it are parts of a whole."""

NOTHING: Final = frozenset(
    (
        "na",
        "n/a",
        "nan",
        "null",
        "none",
        "nil",
        "-",
        "--",
        "?",
        "unknown",
        "missing",
        "not available",
        ".",
        "*",
        "\\n",
        "nd",
        "n.a.",
        "#n/a",
        "undefined",
    )
)
"""Texts that stand for no value. Left out of shares."""

OFFICES: Final = _words(
    "info office contact sales support admin mail email hello help service postmaster webmaster secretary "
    "reception marketing press jobs hr billing kontakt buero sekretariat accueil bureau contacto oficina "
    "ventas informacion segreteria amministrazione contato biuro sekretariat noreply no-reply"
)
"""Local parts of e-mail addresses that belong to an office."""

MEDICAL_WORDS: Final = _words("""
    disease disorder syndrome fracture infection pain cancer allergy allergic chronic acute carcinoma tumor tumour
    lesion injury wound sprain diabetes hypertension asthma stroke cardiac renal hepatic pulmonary coronary artery
    arterial fibrillation deficiency neoplasm malignant benign pregnancy obese obesity fever cough insomnia
    migraine seizure ulcer laceration concussion burn implant stent pacemaker defibrillator therapy rehabilitation
    surgery surgical biopsy screening vaccine immunization mg tablet capsule oral injection krankheit syndrom maladie
    syndrome enfermedad trastorno malattia sindrome doenca ziekte choroba sjukdom sygdom sairaus nemoc boala hastalik
    betegseg
""")
MEDICAL_ENDINGS: Final = (
    "itis",
    "emia",
    "aemia",
    "osis",
    "oma",
    "pathy",
    "ectomy",
    "algia",
    "uria",
    "plasty",
    "trophy",
    "penia",
)
