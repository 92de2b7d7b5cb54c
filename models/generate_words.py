"""Values as people write them down: codings of gender, marital status and the like, diagnoses, products, states of
things, sentences.

Written for this project from general knowledge. A line: a language, a bar, alternatives; `|` parts columns, `;` values.
"""

from __future__ import annotations

from collections.abc import Mapping


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def _by_language(text: str) -> dict[str, list[list[str]]]:
    """Language → the alternative lists of values given for it."""
    found: dict[str, list[list[str]]] = {}
    for line in _lines(text):
        language, _, rest = line.partition("|")
        found.setdefault(language.strip(), []).append([v.strip() for v in rest.split(";")])
    return found


def pick(lists: Mapping[str, list[list[str]]], language: str) -> list[list[str]]:
    """The lists of a language, or else the English ones."""
    return lists.get(language) or lists["en"]


GENDER = _by_language("""
en|M;F
en|M;F;X
en|Male;Female
en|male;female
en|MALE;FEMALE
en|m;f
en|Male;Female;Other
en|Man;Woman;Non-binary
en|Male;Female;Prefer not to say
en|1;2
en|0;1
en|1;0
en|1.0;2.0
en|Boy;Girl
en|boys;girls
de|m;w
de|M;W;D
de|männlich;weiblich
de|Männlich;Weiblich;Divers
de|Mann;Frau
fr|H;F
fr|Homme;Femme
fr|M;F
fr|Masculin;Féminin
fr|homme;femme
es|H;M
es|Hombre;Mujer
es|Masculino;Femenino
es|V;M
es|hombre;mujer;otro
it|M;F
it|Maschio;Femmina
it|Uomo;Donna
it|maschile;femminile
pt|M;F
pt|Masculino;Feminino
pt|Homem;Mulher
nl|M;V
nl|Man;Vrouw
nl|man;vrouw
pl|M;K
pl|mężczyzna;kobieta
pl|Mężczyzna;Kobieta
sv|Man;Kvinna
sv|M;K
da|Mand;Kvinde
da|M;K
no|Mann;Kvinne
no|M;K
fi|Mies;Nainen
fi|M;N
cs|muž;žena
cs|M;Ž
sk|muž;žena
ro|M;F
ro|Masculin;Feminin
ro|Bărbat;Femeie
hu|férfi;nő
hu|F;N
tr|E;K
tr|Erkek;Kadın
ru|М;Ж
ru|муж;жен
ru|Мужской;Женский
ru|мужчина;женщина
uk|Ч;Ж
uk|чоловіча;жіноча
bg|мъж;жена
el|Α;Θ
el|Άνδρας;Γυναίκα
ar|ذكر;أنثى
he|ז;נ
he|זכר;נקבה
ja|男;女
ja|男性;女性
zh|男;女
zh|男性;女性
ko|남;여
ko|남자;여자
ko|남성;여성
id|L;P
id|Laki-laki;Perempuan
vi|Nam;Nữ
th|ชาย;หญิง
hr|M;Ž
hr|muško;žensko
""")
MARITAL = _by_language("""
en|Single;Married;Divorced;Widowed
en|single;married;divorced;widowed;separated
en|Single;Married
en|S;M;D;W
en|Never-married;Married-civ-spouse;Divorced;Separated;Widowed;Married-spouse-absent
en|Yes;No
en|0;1
en|1;2;3;4;5
en|Married;Single;Together;Divorced;Widow
en|Married;Not Married;In a relationship;Domestic partner
en|never married;currently married;formerly married
de|ledig;verheiratet;geschieden;verwitwet
de|Ledig;Verheiratet;Geschieden;Verwitwet;eingetragene Lebenspartnerschaft
de|L;V;G;W
fr|Célibataire;Marié(e);Divorcé(e);Veuf/Veuve;Pacsé(e)
fr|célibataire;marié;divorcé;veuf;concubinage
es|Soltero;Casado;Divorciado;Viudo
es|soltero/a;casado/a;divorciado/a;viudo/a;unión libre
it|celibe;nubile;coniugato;divorziato;vedovo
it|Celibe/Nubile;Coniugato/a;Separato/a;Vedovo/a
pt|Solteiro;Casado;Divorciado;Viúvo
pt|solteiro(a);casado(a);divorciado(a);viúvo(a);união estável
nl|ongehuwd;gehuwd;gescheiden;weduwe
nl|Alleenstaand;Getrouwd;Samenwonend;Gescheiden
pl|kawaler;żonaty;panna;mężatka;rozwiedziony;wdowa
pl|wolny;w związku małżeńskim;rozwiedziony
sv|Ogift;Gift;Skild;Sambo;Änka
da|Ugift;Gift;Fraskilt;Enke
no|Ugift;Gift;Skilt;Samboer
fi|Naimaton;Naimisissa;Eronnut;Leski
cs|svobodný;ženatý;vdaná;rozvedený;vdovec
ro|necăsătorit;căsătorit;divorțat;văduv
hu|egyedülálló;házas;elvált;özvegy
tr|Bekar;Evli;Boşanmış;Dul
ru|холост;женат;замужем;в разводе;вдова
ru|не женат/не замужем;женат/замужем;разведён(а)
ar|أعزب;متزوج;مطلق;أرمل
ja|未婚;既婚;離婚
zh|未婚;已婚;离异;丧偶
ko|미혼;기혼;이혼
id|Belum Kawin;Kawin;Cerai Hidup;Cerai Mati
""")
EDUCATION = _by_language("""
en|High School;Bachelor;Master;PhD
en|High School;Some College;Associate Degree;Bachelor's Degree;Master's Degree;Doctorate
en|Graduate;Not Graduate
en|Bachelors;HS-grad;11th;Masters;9th;Some-college;Assoc-acdm;Doctorate;Prof-school
en|Primary;Secondary;Tertiary
en|primary;secondary;tertiary;unknown
en|BSc;MSc;BA;MA;MBA;PhD
en|B.Tech;M.Tech;MBA;B.Com;B.Sc;12th
en|1;2;3;4;5
en|University;College;High School;Less than high school
en|university.degree;high.school;basic.9y;professional.course
en|Computer Science;Mechanical Engineering;Economics;Law;Medicine;History;Biology;Mathematics
en|GED;High School Diploma;Undergraduate;Postgraduate
en|8;9;10;11;12;13;14;16;18
de|Hauptschulabschluss;Realschulabschluss;Abitur;Bachelor;Master;Promotion
de|Mittlere Reife;Abitur;Ausbildung;Hochschulabschluss;kein Abschluss
de|Lehre;Matura;Fachhochschule;Universität
fr|Bac;Bac+2;Bac+3;Bac+5;Doctorat;Sans diplôme
fr|CAP/BEP;Baccalauréat;Licence;Master;Doctorat
es|Primaria;Secundaria;Bachillerato;Universitario;Posgrado
es|Sin estudios;ESO;FP;Licenciatura;Máster;Doctorado
it|Licenza media;Diploma;Laurea triennale;Laurea magistrale;Dottorato
pt|Ensino Fundamental;Ensino Médio;Ensino Superior;Pós-graduação
pt|Básico;Secundário;Licenciatura;Mestrado;Doutoramento
nl|VMBO;HAVO;VWO;MBO;HBO;WO
pl|podstawowe;zawodowe;średnie;wyższe
sv|Grundskola;Gymnasium;Högskola;Forskarutbildning
da|Folkeskole;Gymnasium;Bachelor;Kandidat
fi|Perusaste;Toinen aste;Alempi korkeakouluaste;Ylempi korkeakouluaste
cs|základní;střední s maturitou;vyučen;vysokoškolské
ro|gimnaziu;liceu;facultate;master
hu|általános iskola;középiskola;főiskola;egyetem
tr|İlkokul;Ortaokul;Lise;Üniversite;Yüksek Lisans
ru|среднее;среднее специальное;высшее;неполное высшее
ar|ابتدائي;ثانوي;بكالوريوس;ماجستير;دكتوراه
ja|高校卒;専門学校卒;大学卒;大学院卒
zh|初中;高中;大专;本科;硕士;博士
ko|고졸;전문대졸;대졸;석사;박사
id|SD;SMP;SMA;D3;S1;S2
""")
ETHNICITY = _by_language("""
en|White;Black;Asian;Hispanic;Other
en|White;Black or African American;Asian;American Indian or Alaska Native;Native Hawaiian or Other Pacific Islander;Two or More Races
en|WHITE;BLACK;HISPANIC;ASIAN / PACIFIC ISLANDER;UNKNOWN
en|white;black;asian;native;other
en|Caucasian;African American;Hispanic;Asian;Mixed
en|W;B;A;H;I;U
en|1;2;3;4;5
en|Hispanic or Latino;Not Hispanic or Latino
en|nonhispanic;hispanic
en|White British;White Irish;Black African;Black Caribbean;Indian;Pakistani;Bangladeshi;Mixed;Chinese
en|General;OBC;SC;ST
en|Māori;European;Pacific Peoples;Asian
en|Malay;Chinese;Indian;Others
en|Yoruba;Igbo;Hausa;Fulani;Tiv;Ijaw
pt|Branca;Parda;Preta;Amarela;Indígena
es|Mestizo;Indígena;Afrodescendiente;Blanco
zh|汉族;回族;满族;壮族;维吾尔族;藏族;苗族
ro|română;maghiară;romă
ru|русский;татарин;украинец;башкир;чеченец
de|deutsch;türkisch;polnisch;arabisch;gemischt
""")
RELIGION = _by_language("""
en|Christian;Muslim;Jewish;Hindu;Buddhist;None
en|Catholic;Protestant;Orthodox;Muslim;Jewish;Atheist;Agnostic
en|Hindu;Muslim;Christian;Sikh;Jain;Buddhist
en|christianity;islam;hinduism;buddhism;no religion
en|Baptist;Methodist;Lutheran;Presbyterian;Catholic;Mormon;Unaffiliated
en|1;2;3;4;9
en|Church of England;Roman Catholic;Islam;Hindu;Sikh;No religion
de|röm.-kath.;evangelisch;konfessionslos;muslimisch;jüdisch
de|rk;ev;--;isl
de|katholisch;evangelisch;ohne Bekenntnis
fr|catholique;musulman;protestant;juif;sans religion
es|Católica;Evangélica;Ninguna;Judía;Musulmana
it|cattolica;ortodossa;islamica;nessuna
pt|Católica;Evangélica;Espírita;Sem religião
nl|rooms-katholiek;protestant;islam;geen
pl|rzymskokatolickie;prawosławne;bezwyznaniowy;ewangelickie
id|Islam;Kristen;Katolik;Hindu;Buddha
tr|İslam;Hristiyan;Musevi
ru|православие;ислам;иудаизм;атеист
ar|مسلم;مسيحي
zh|无;佛教;道教;基督教;伊斯兰教
ko|무교;기독교;불교;천주교
""")
SEXUALITY = _by_language("""
en|Heterosexual;Homosexual;Bisexual;Asexual
en|Straight;Gay;Lesbian;Bisexual;Queer;Prefer not to say
en|straight;gay/lesbian;bisexual;other
en|Heterosexual or straight;Gay or lesbian;Bisexual;Person asked and does not know
en|hetero;homo;bi
de|heterosexuell;homosexuell;bisexuell;keine Angabe
fr|hétérosexuel;homosexuel;bisexuel
es|heterosexual;homosexual;bisexual;otro
it|eterosessuale;omosessuale;bisessuale
pt|heterossexual;homossexual;bissexual
nl|heteroseksueel;homoseksueel;biseksueel
pl|heteroseksualna;homoseksualna;biseksualna
sv|heterosexuell;homosexuell;bisexuell
""")
LANGUAGES = _by_language("""
en|English;Spanish;French;German;Mandarin;Arabic;Hindi;Portuguese;Vietnamese;Tagalog;Russian;Polish;Korean;Italian
en|en;es;fr;de;zh;ar;hi;pt;ru;pl;it;ja
en|en-US;es-ES;fr-FR;de-DE;pt-BR;it-IT;ja-JP;pl-PL;nl-NL
en|en_US;en_GB;de_DE;fr_FR;es_MX
en|ENG;SPA;FRE;GER;CHI;ARA
en|EN;DE;FR;IT;ES
de|Deutsch;Englisch;Türkisch;Russisch;Polnisch;Arabisch;Französisch
fr|français;anglais;espagnol;arabe;allemand;portugais
es|español;inglés;catalán;francés;quechua;gallego
it|italiano;inglese;francese;tedesco;rumeno
pt|português;inglês;espanhol;francês
nl|Nederlands;Engels;Frans;Duits;Turks
pl|polski;angielski;niemiecki;ukraiński;rosyjski
sv|svenska;engelska;finska;arabiska
ru|русский;английский;татарский;немецкий
zh|中文;英语;日语;粤语
ja|日本語;英語;中国語
tr|Türkçe;İngilizce;Kürtçe;Almanca
""")
NATIONALITY = _by_language("""
en|American;British;Canadian;German;French;Italian;Spanish;Indian;Chinese;Mexican;Brazilian;Polish;Nigerian;Australian;Irish;Dutch;Swedish;Japanese;Korean;Turkish;Pakistani;Filipino;Russian;Ukrainian;Egyptian;Portuguese;Greek
en|US;GB;DE;FR;IT;ES;IN;CN;MX;BR;PL;NG;PT;RO;TR
en|USA;GBR;GER;FRA;ITA;ESP;IND;CHN;BRA;POL;NED;SWE;JPN;KOR;ARG;KEN
en|United States;United Kingdom;Germany;France;Italy;Spain;India;China;Mexico;Brazil;Poland;Jordan;Kuwait;Lebanon;Egypt
de|deutsch;österreichisch;türkisch;polnisch;italienisch;rumänisch;syrisch;kroatisch
de|D;A;TR;PL;I;RO
fr|française;belge;marocaine;algérienne;portugaise;italienne;tunisienne
es|española;mexicana;argentina;colombiana;peruana;venezolana;rumana;marroquí
it|italiana;rumena;albanese;marocchina;cinese;ucraina
pt|brasileira;portuguesa;angolana;cabo-verdiana;venezuelana
nl|Nederlandse;Belgische;Turkse;Marokkaanse;Poolse;Surinaamse
pl|polska;ukraińska;białoruska;niemiecka;wietnamska
sv|svensk;finsk;norsk;syrisk;polsk
cs|česká;slovenská;ukrajinská;vietnamská
ru|РФ;Россия;Украина;Казахстан;Узбекистан
ar|سعودي;مصري;أردني;سوري;هندي
zh|中国;美国;日本;韩国
ja|日本;中国;韓国;ブラジル;フィリピン
tr|T.C.;Suriye;Almanya;İran
""")
DIAGNOSES = _by_language("""
en|Hypertension;Type 2 diabetes mellitus;Asthma;Acute bronchitis;Migraine;Depression;Anxiety disorder;Chronic kidney disease;Osteoarthritis;COPD;Pneumonia;Urinary tract infection;Coronary artery disease;Hypothyroidism;Breast cancer;Atrial fibrillation;Gastroenteritis;Anemia;Fracture of radius;Epilepsy;Psoriasis;Obesity;Stroke;HIV infection;Hepatitis C;Schizophrenia;Normal pregnancy;Viral sinusitis;Concussion with no loss of consciousness;Otitis media;Prediabetes;Hyperlipidemia
en|Diabetes;Cancer;Obesity;Arthritis;Hypertension;Asthma
en|flu;cold;covid-19;allergy;migraine;back pain;fever;cough
en|chest pain;headache;abdominal pain;shortness of breath;dizziness;fall;fever;laceration;nausea and vomiting
en|penicillin;peanuts;latex;none known;shellfish;sulfa drugs;dust mites
en|Metformin 500 mg;Lisinopril 10 MG Oral Tablet;Atorvastatin;Ibuprofen 400;Amoxicillin;Omeprazole 20mg;Levothyroxine;Insulin glargine;Sertraline;Albuterol inhaler
en|Stage I;Stage II;Stage III;Stage IV
en|Heart Disease;Malignant Neoplasm;Stroke;Accident;Suicide;Diabetes;Alzheimer's disease;Sepsis
en|blind;deaf;wheelchair;none;learning disability
de|Arterielle Hypertonie;Diabetes mellitus Typ 2;Asthma bronchiale;Depression;Migräne;Rückenschmerzen;Bronchitis;Herzinsuffizienz;Adipositas;Hypothyreose;Pneumonie;Kniegelenkarthrose;Vorhofflimmern
fr|Hypertension artérielle;Diabète de type 2;Asthme;Dépression;Migraine;Lombalgie;Bronchite aiguë;Insuffisance cardiaque;Anémie;Grippe
es|Hipertensión arterial;Diabetes mellitus tipo 2;Asma;Depresión;Migraña;Lumbalgia;Bronquitis;Anemia;Gastritis;Neumonía
it|Ipertensione;Diabete tipo 2;Asma;Depressione;Emicrania;Bronchite;Gastrite;Lombalgia;Polmonite;Anemia
pt|Hipertensão;Diabetes tipo 2;Asma;Depressão;Enxaqueca;Bronquite;Anemia;Gastrite;Dengue;Pneumonia
nl|Hypertensie;Diabetes type 2;Astma;Depressie;Migraine;Longontsteking;Artrose;Griep
pl|nadciśnienie tętnicze;cukrzyca typu 2;astma;depresja;migrena;zapalenie oskrzeli;niedoczynność tarczycy;grypa
sv|Hypertoni;Diabetes typ 2;Astma;Depression;Migrän;Lunginflammation
cs|hypertenze;diabetes 2. typu;astma;deprese;migréna;angína
hu|magas vérnyomás;cukorbetegség;asztma;depresszió;migrén
ro|hipertensiune;diabet zaharat tip 2;astm;depresie;gastrită
tr|Hipertansiyon;Tip 2 diyabet;Astım;Depresyon;Migren;Anemi
ru|артериальная гипертензия;сахарный диабет 2 типа;бронхиальная астма;депрессия;мигрень;ОРВИ;пневмония;гастрит
ar|ارتفاع ضغط الدم;السكري;الربو;الصداع النصفي;فقر الدم
ja|高血圧症;2型糖尿病;気管支喘息;うつ病;急性上気道炎;腰痛症
zh|高血压;2型糖尿病;哮喘;抑郁症;肺炎;胃炎;冠心病;脑梗死
ko|고혈압;당뇨병;천식;우울증;폐렴
id|hipertensi;diabetes melitus;asma;demam berdarah;tifus
""")
ICD = (
    "I10 E11.9 J45.909 J20.9 G43.909 F32.9 F41.1 N18.3 M17.11 J44.9 J18.9 N39.0 I25.10 E03.9 C50.911 I48.91 "
    "K52.9 D64.9 S52.501A G40.909 L40.0 E66.9 "
    "I63.9 B20 B18.2 F20.9 Z33.1 M54.5 R07.9 R51 O80 Z00.00 K21.9 H66.90 R73.03 E78.5 U07.1 C34.90 I50.9 A41.9"
).split()
BLOOD = ["A+", "O+", "B+", "AB+", "A-", "O-", "B-", "AB-"]
LABS = """
glucose|70|180|0|mg/dL;cholesterol|120|300|0|mg/dl;hdl|25|95|0|;ldl|50|190|0|;triglycerides|50|400|0|;hba1c|4.5|11|1|%;creatinine|0.5|2.5|2|;hemoglobin|8|17.5|1|g/dl;wbc|3|15|1|;
platelets|120|450|0|;systolic bp|95|185|0|mmHg;diastolic bp|55|110|0|mmHg;heart rate|48|125|0|bpm;bmi|16|45|1|;bilirubin|0.2|3|1|;albumin|2.5|5.2|1|;tsh|0.2|8|2|;ejection fraction|20|70|0|;
spo2|88|100|0|%;body temperature|36|39.8|1|;resting bp|90|190|0|;max heart rate|80|200|0|;insulin|0|300|0|;sodium|125|150|0|;potassium|3|6|1|;crp|0|90|1|;ferritin|10|400|0|;vitamin d|8|60|0|;
chol|120|350|0|;trestbps|94|190|0|;thalach|80|200|0|;sysbp|90|200|1|;ast|8|120|0|;alt|7|150|0|;urea|10|90|0|;hematocrit|28|55|1|;esr|1|80|0|;psa|0|12|2|;gfr|20|120|0|;pulse|50|120|0|
"""
HEALTH_FLAGS = (
    "smoker;diabetes;hypertension;heart disease;stroke;diabetic;asthma;smoking;alcohol "
    "use;pregnant;disabled;copd;anaemia;cancer history;has allergies;covid positive;kidney "
    "disease;depression;tobacco use;covid vaccinated;obese;exercise induced angina;hiv status;mental "
    "illness;disability;on medication"
).split(";")
STATUSES = _by_language("""
en|active;inactive;pending
en|Open;Closed;In Progress;On Hold
en|shipped;delivered;cancelled;returned;processing
en|paid;unpaid;overdue
en|Completed;Failed;Refunded
en|approved;rejected;under review
en|success;error;timeout
en|NEW;WON;LOST;QUALIFIED
en|A;I;P
en|200;404;500;302
en|draft;published;archived
en|confirmed;waitlisted;no-show
en|low;medium;high;critical
en|P1;P2;P3;P4
en|current;late 30;late 60;charged off
de|offen;erledigt;in Bearbeitung;storniert
de|aktiv;inaktiv;gesperrt
de|bezahlt;offen;gemahnt
fr|en cours;terminé;annulé;en attente
fr|payé;impayé;remboursé
es|pendiente;enviado;entregado;cancelado
es|activo;inactivo;baja
it|in corso;completato;annullato
it|pagato;non pagato;in attesa
pt|pendente;pago;cancelado;enviado
pt|ativo;inativo;bloqueado
nl|open;gesloten;in behandeling
pl|nowe;w realizacji;zrealizowane;anulowane
pl|aktywny;nieaktywny
sv|öppen;stängd;pågående
da|åben;lukket;afventer
fi|avoin;suljettu;kesken
cs|nová;vyřízeno;zrušeno
hu|nyitott;lezárt;folyamatban
ro|nou;finalizat;anulat
tr|beklemede;tamamlandı;iptal
ru|новый;в работе;выполнен;отменён
uk|новий;виконано;скасовано
ar|نشط;غير نشط;معلق
ja|完了;処理中;キャンセル
zh|已完成;处理中;已取消;待支付
ko|완료;진행중;취소
el|ενεργό;ανενεργό
he|פתוח;סגור;בטיפול
""")
CATEGORIES = _by_language("""
en|Electronics;Clothing;Home & Garden;Toys;Books;Sports;Beauty;Grocery
en|Furniture;Office Supplies;Technology
en|A;B;C;D
en|Type I;Type II;Type III
en|Finance;HR;IT;Marketing;Sales;Operations;Legal
en|Basic;Standard;Premium
en|Bronze;Silver;Gold;Platinum
en|North;South;East;West
en|online;in-store;phone
en|Drama;Comedy;Action;Thriller;Documentary;Horror;Romance
en|Rock;Pop;Jazz;Hip-Hop;Classical
en|SUV;Sedan;Hatchback;Truck;Coupe
en|Petrol;Diesel;Electric;Hybrid
en|credit card;bank transfer;cash;paypal
en|Visa;Mastercard;Amex;Discover
en|Apartment;House;Condo;Townhouse;Studio
en|iOS;Android;Web
en|Chrome;Firefox;Safari;Edge
en|desktop;mobile;tablet
en|organic;paid;referral;direct;email
en|debit;credit
en|monthly;yearly;quarterly
en|economy;business;first
en|S;M;L;XL;XXL
en|small;medium;large
en|GET;POST;PUT;DELETE
en|INFO;WARN;ERROR;DEBUG
en|Mon;Tue;Wed;Thu;Fri;Sat;Sun
en|Monday;Tuesday;Wednesday;Thursday;Friday;Saturday;Sunday
en|January;February;March;April;May;June;July;August;September;October;November;December
en|Q1;Q2;Q3;Q4
en|spring;summer;autumn;winter
en|red;white;rosé
en|GK;DF;MF;FW
en|Pitcher;Catcher;Outfielder;Shortstop
en|full-time;part-time;contract;intern
en|Strongly agree;Agree;Neutral;Disagree;Strongly disagree
en|Very satisfied;Satisfied;Dissatisfied
en|Never;Rarely;Sometimes;Often;Always
en|vegetarian;vegan;non-veg
en|train;test;validation
en|setosa;versicolor;virginica
en|igneous;sedimentary;metamorphic
en|asc;desc
en|H;D;A
en|own;rent;mortgage
en|Dr;Mr;Mrs;Ms;Prof
en|urban;rural;suburban
en|yes;no;maybe
en|gram;kilogram;litre;piece
en|Emergency;Elective;Urgent
en|inpatient;outpatient;daycase
en|Mammal;Bird;Reptile;Fish;Amphibian
en|Dog;Cat;Rabbit;Bird
en|Labrador;Poodle;Beagle;Siamese
de|Elektronik;Bekleidung;Haushalt;Spielwaren;Bücher
de|Vertrieb;Einkauf;Buchhaltung;Produktion;IT
de|Rechnung;Lastschrift;Überweisung;Bar
de|Montag;Dienstag;Mittwoch;Donnerstag;Freitag
fr|Électronique;Vêtements;Maison;Jouets;Livres
fr|Comptabilité;Ventes;Achats;RH;Informatique
fr|carte;virement;chèque;espèces
es|Electrónica;Ropa;Hogar;Juguetes;Libros
es|Ventas;Compras;Contabilidad;Recursos Humanos
es|tarjeta;transferencia;efectivo
it|Elettronica;Abbigliamento;Casa;Giocattoli;Libri
it|Vendite;Acquisti;Amministrazione;Produzione
it|Antipasti;Primi;Secondi;Dolci
pt|Eletrônicos;Roupas;Casa;Brinquedos;Livros
pt|Vendas;Compras;Financeiro;RH
nl|Elektronica;Kleding;Huis;Speelgoed
nl|Verkoop;Inkoop;Administratie
pl|Elektronika;Odzież;Dom i ogród;Zabawki;Książki
pl|Sprzedaż;Księgowość;Produkcja;Kadry
pl|gotówka;przelew;karta
sv|Elektronik;Kläder;Böcker;Möbler
da|Elektronik;Tøj;Bøger
no|Elektronikk;Klær;Bøker
fi|Elektroniikka;Vaatteet;Kirjat
cs|Elektronika;Oblečení;Knihy;Nábytek
hu|Elektronika;Ruházat;Könyv;Élelmiszer
ro|Electronice;Îmbrăcăminte;Cărți
tr|Elektronik;Giyim;Kitap;Gıda
ru|Электроника;Одежда;Книги;Мебель;Продукты
ru|Бухгалтерия;Отдел продаж;Склад;Производство
uk|Електроніка;Одяг;Книги
ar|إلكترونيات;ملابس;كتب;أثاث
ja|家電;衣料品;食品;書籍;家具
ja|営業部;総務部;開発部;人事部
zh|电子产品;服装;食品;图书;家具
zh|销售部;财务部;技术部;人事部
ko|전자제품;의류;식품;도서
el|Ηλεκτρονικά;Ρούχα;Βιβλία
he|אלקטרוניקה;בגדים;ספרים
id|Elektronik;Pakaian;Makanan;Buku
""")
PRODUCTS = _by_language("""
en|cable;lamp;desk chair;keyboard;backpack;water bottle;running shoes;headphones;phone case;notebook;coffee mug;T-shirt;jacket;monitor;mouse;printer ink;desk;sofa;blender;toaster;drill;paint;shampoo;soap;cereal;olive oil;pasta;chocolate bar;green tea;batteries;charger;tent;bicycle;helmet;gloves;jeans;socks;watch;camera;tripod
de|Kabel;Lampe;Bürostuhl;Tastatur;Rucksack;Trinkflasche;Laufschuhe;Kopfhörer;Schraubenzieher;Bohrmaschine;Kaffeemaschine;Schreibtisch;Regal;Müsli;Olivenöl
fr|câble;lampe;chaise de bureau;clavier;sac à dos;gourde;chaussures;casque audio;perceuse;cafetière;bureau;étagère;huile d'olive
es|cable;lámpara;silla;teclado;mochila;botella;zapatillas;auriculares;taladro;cafetera;escritorio;aceite de oliva
it|cavo;lampada;sedia;tastiera;zaino;borraccia;scarpe;cuffie;trapano;macchina da caffè;scrivania;olio d'oliva
pt|cabo;lâmpada;cadeira;teclado;mochila;garrafa;tênis;fone de ouvido;furadeira;cafeteira;mesa
nl|kabel;lamp;bureaustoel;toetsenbord;rugzak;drinkfles;schoenen;koptelefoon;boormachine
pl|kabel;lampa;krzesło;klawiatura;plecak;bidon;buty;słuchawki;wiertarka;ekspres do kawy;biurko;regał
sv|kabel;lampa;stol;tangentbord;ryggsäck;vattenflaska;skor;hörlurar
da|kabel;lampe;stol;tastatur;rygsæk;sko
fi|kaapeli;lamppu;tuoli;näppäimistö;reppu;kengät
cs|kabel;lampa;židle;klávesnice;batoh;boty;sluchátka;vrtačka
hu|kábel;lámpa;szék;billentyűzet;hátizsák;cipő
ro|cablu;lampă;scaun;tastatură;rucsac;pantofi
tr|kablo;lamba;sandalye;klavye;sırt çantası;ayakkabı;kulaklık
ru|кабель;лампа;кресло;клавиатура;рюкзак;кроссовки;наушники;дрель;кофеварка;стол
uk|кабель;лампа;стілець;клавіатура;рюкзак
ja|ケーブル;ランプ;椅子;キーボード;リュック;靴;ヘッドホン
zh|数据线;台灯;办公椅;键盘;背包;水杯;运动鞋;耳机;电钻
ko|케이블;램프;의자;키보드;배낭;운동화
ar|كابل;مصباح;كرسي;لوحة مفاتيح;حقيبة;حذاء
""")
BRANDS = (
    "Acme Norvia Lumo Zentra Aurix Kelvo Trion Belmora Vantor Oxly Nexo Primo Solara Kibo Halden Ferro Quanta "
    "Ridge Altus Mirax"
).split()
ADJECTIVES = (
    "Red Blue Black White Pro Mini Max Ultra Classic Wireless Portable Organic Deluxe Slim Heavy-Duty Compact "
    "Smart Eco Vintage Premium"
).split()
COLOURS = _by_language("""
en|red;blue;green;black;white;yellow;silver;grey;brown;orange;purple;pink
en|Red;Blue;Green;Black;White;Silver
en|#ff0000;#00ff00;#1f2937;#ffffff;#c0ffee;#336699
de|rot;blau;grün;schwarz;weiß;gelb;silber
fr|rouge;bleu;vert;noir;blanc;jaune
es|rojo;azul;verde;negro;blanco;amarillo
it|rosso;blu;verde;nero;bianco;giallo
pt|vermelho;azul;verde;preto;branco
nl|rood;blauw;groen;zwart;wit
pl|czerwony;niebieski;zielony;czarny;biały
ru|красный;синий;зелёный;чёрный;белый
ja|赤;青;緑;黒;白
zh|红色;蓝色;黑色;白色
""")
UNITS = [
    "kg",
    "g",
    "lb",
    "cm",
    "mm",
    "m",
    "l",
    "ml",
    "pcs",
    "ea",
    "box",
    "m2",
    "°C",
    "kWh",
    "mg/dL",
    "%",
    "km/h",
    "h",
    "Stk",
    "szt.",
    "шт",
    "pack",
]
CURRENCIES = ["EUR", "USD", "GBP", "CHF", "PLN", "SEK", "INR", "JPY", "CNY", "BRL", "MXN", "TRY", "RUB", "CAD", "AUD"]
FLAGS = [
    ("0", "1"),
    ("yes", "no"),
    ("Yes", "No"),
    ("Y", "N"),
    ("T", "F"),
    ("true", "false"),
    ("True", "False"),
    ("TRUE", "FALSE"),
    ("x", ""),
    ("0.0", "1.0"),
    ("on", "off"),
]
LOCAL_FLAGS = {
    "de": ("ja", "nein"),
    "fr": ("oui", "non"),
    "es": ("sí", "no"),
    "it": ("sì", "no"),
    "pt": ("Sim", "Não"),
    "nl": ("ja", "nee"),
    "pl": ("tak", "nie"),
    "sv": ("ja", "nej"),
    "da": ("ja", "nej"),
    "no": ("ja", "nei"),
    "fi": ("kyllä", "ei"),
    "cs": ("ano", "ne"),
    "hu": ("igen", "nem"),
    "ro": ("da", "nu"),
    "tr": ("evet", "hayır"),
    "ru": ("да", "нет"),
    "uk": ("так", "ні"),
    "ja": ("有", "無"),
    "zh": ("是", "否"),
    "ko": ("예", "아니오"),
    "ar": ("نعم", "لا"),
    "el": ("ναι", "όχι"),
}
TITLE_WORDS = (
    "Night River City Shadow Last Golden Silent Empire Dream Winter Summer Secret Lost Broken King Queen Star Moon "
    "Garden House Road Stone Fire Ocean Letter Memory Light Dark Heart War Return Story Song Island Mountain Blue "
    "Red World Game Edge Time"
).split()
RESEARCH = (
    "Deep Learning;Climate Change;Protein Folding;Urban Mobility;Soil Erosion;Public Health;Quantum "
    "Computing;Supply Chains;Language Models;Coral Reefs;Solar Cells;Graph Theory;Income Inequality;Early "
    "Childhood;Antibiotic Resistance;Data Privacy"
).split(";")
STREET_FREE = "Suite;Apt;Unit;Floor;#;Apt.;Bldg".split(";")
JOBS = (
    "Software Engineer;Teacher;Nurse;Accountant;Sales Manager;Project "
    "Manager;Electrician;Driver;Chef;Lawyer;Doctor;Analyst;HR Manager;Data "
    "Scientist;Cashier;Consultant;Farmer;Pharmacist;Police "
    "Officer;Retired;Student;Self-employed;Homemaker;Engineer;Technician;Secretary;Director;CEO;Clerk;Mechanic;Research "
    "Scientist;Sales Executive;Laboratory "
    "Technician;Architect;Journalist;Plumber;Waiter;Firefighter;Receptionist;Professor"
).split(";")
JOB_CODES = "management;technician;blue-collar;admin.;services;retired;self-employed;entrepreneur;unemployed;housemaid;student".split(
    ";"
)
PARTIES = [
    "Democratic",
    "Republican",
    "Independent",
    "D",
    "R",
    "I",
    "Labour",
    "Conservative",
    "Liberal Democrats",
    "Green Party",
    "CDU",
    "SPD",
    "FDP",
    "PS",
    "PP",
    "BJP",
    "INC",
]
SCHOOL_FORMS = {
    "en": "{c} High School;University of {c};{c} State University;{l} College;{c} Elementary School;{c} Community "
    "College",
    "de": "Universität {c};Gymnasium {c};Hochschule {c};{l}-Schule {c};Realschule {c}",
    "fr": "Lycée {l};Université de {c};Collège {l};École primaire {c}",
    "es": "Universidad de {c};IES {l};Colegio {l};CEIP {c}",
    "it": "Università di {c};Liceo {l};Istituto Comprensivo {c}",
    "pt": "Universidade de {c};Escola Secundária de {c};Colégio {l}",
    "nl": "Universiteit {c};{l} College;Basisschool {c}",
    "pl": "Uniwersytet w {c};Liceum nr 3 {c};Szkoła Podstawowa {c}",
    "sv": "{c}skolan;{c} universitet",
    "tr": "{c} Üniversitesi;{l} Lisesi",
    "ru": "Школа № 12 г. {c};{c} государственный университет",
    "zh": "{c}大学;{c}第一中学",
    "ja": "{c}大学;{c}高等学校",
    "ko": "{c}대학교;{c}고등학교",
}
TEAM_FORMS = "FC {c};{c} United;{c} City;{c} Tigers;SV {c};AC {c};Real {c};{c} Wanderers;{c} Bears;{c} Hawks".split(";")
NOTES = {
    "en": """Customer called about order {n}, will call back {d}.|{p} asked for a refund.|Please contact {p} at {m}.|Left voicemail for {f}, phone {t}.|Delivered to the neighbour.|Package arrived damaged, replacement sent.|Great product, fast shipping!|Not worth the money, broke after two weeks.|
        Cannot log in since yesterday, error 403.|{p} prefers contact by e-mail.|Patient reports headache for three days, no fever.|{p} is a 54 year old with chest pain, referred by Dr. {l}.|Follow-up in two weeks.|Meeting with {f} moved to {d}.|Invoice {n} still open, reminder sent.|
        The item was smaller than expected but {f} from support helped me quickly.|Allergic to penicillin, mother informed.|No answer.|VIP, handle with care|Changed address to {a}.|Paid in cash|My account {u} is locked, please reset.|Would recommend to friends and family.|Seen by Dr. {l} on {d}; blood pressure elevated.|
        Hi, this is {p}. I still have not received my parcel. You can reach me at {t}.|ok|see attached|Requested quieter room.|Pt {l}, {f} discharged home in good condition.|Very friendly staff, the room was clean.|Called {t}, spoke with {f}.""",
    "de": """Kunde ruft am {d} zurück.|Bitte {p} unter {t} anrufen.|Ware beschädigt, Ersatz verschickt.|{p} wünscht Rechnung per E-Mail an {m}.|Patient klagt über Rückenschmerzen.|Termin mit Frau {l} verschoben.|Zahlung noch offen.|Sehr gute Beratung durch Herrn {l}.|Lieferung an Nachbarn.|Passwort zurückgesetzt.|Neue Adresse: {a}|keine""",
    "fr": """Le client rappelle le {d}.|Merci de contacter {p} au {t}.|Colis endommagé, remplacement envoyé.|{p} souhaite un remboursement.|Patient se plaint de maux de tête.|Rendez-vous avec Mme {l} reporté.|Très bon accueil.|Nouvelle adresse : {a}|Facture {n} impayée.|RAS""",
    "es": """El cliente llamará el {d}.|Contactar con {p} en {t}.|Producto dañado, se envía reemplazo.|{p} solicita devolución.|Paciente refiere dolor de cabeza.|Cita con la Sra. {l} aplazada.|Muy buen servicio.|Nueva dirección: {a}|Factura {n} pendiente.""",
    "it": """Il cliente richiama il {d}.|Contattare {p} al {t}.|Merce danneggiata, inviata sostituzione.|{p} chiede il rimborso.|Paziente riferisce mal di testa.|Appuntamento con il dott. {l} rinviato.|Ottimo servizio.|Fattura {n} non pagata.""",
    "pt": """Cliente vai ligar em {d}.|Contactar {p} pelo {t}.|Produto danificado, enviada substituição.|{p} pediu reembolso.|Paciente relata dor de cabeça.|Muito bom atendimento.|Novo endereço: {a}|Fatura {n} em aberto.""",
    "nl": """Klant belt terug op {d}.|Graag contact opnemen met {p} via {t}.|Pakket beschadigd, vervanging verstuurd.|{p} wil geld terug.|Goede service.|Factuur {n} nog open.""",
    "pl": """Klient oddzwoni {d}.|Proszę o kontakt z {p}, tel. {t}.|Towar uszkodzony, wysłano nowy.|{p} prosi o zwrot.|Pacjent zgłasza ból głowy.|Bardzo dobra obsługa.|Faktura {n} nieopłacona.""",
    "ru": """Клиент перезвонит {d}.|Связаться с {p}, тел. {t}.|Товар повреждён, отправлена замена.|{p} просит возврат.|Жалобы на головную боль.|Отличный сервис.|Счёт {n} не оплачен.""",
    "ja": """{p}様より電話あり。|商品が破損していた。交換対応済み。|対応がとても丁寧でした。|連絡先：{t}|特になし""",
    "zh": """客户{p}来电咨询订单{n}。|商品破损，已补发。|服务很好，物流很快。|请联系{p}，电话{t}。|无""",
}
DESCRIPTIONS = {
    "en": "Durable {x} made of recycled materials, 2-year warranty.|Lightweight {x} for everyday use. Dimensions 30 "
    "x 20 x 10 cm.|{x} with adjustable height and soft-touch surface.|The classic {x}, now in three sizes; "
    "machine washable at 30 degrees.|Set of four, dishwasher safe.|High quality {x} suitable for indoor and "
    "outdoor use.|Includes mounting kit and user manual.|Spacious 3 bedroom unit close to shops and public "
    "transport.|Annual report on water quality in the district.|Returns the list of all entries in the given "
    "range.|Compatible with most models since 2018.",
    "de": "Robuster Artikel aus recyceltem Material, 2 Jahre Garantie.|Leichte Ausführung für den täglichen "
    "Gebrauch.|Höhenverstellbar, mit weicher Oberfläche.|Set aus vier Teilen, spülmaschinenfest.|Helle "
    "3-Zimmer-Wohnung in zentraler Lage.",
    "fr": "Article robuste en matériaux recyclés, garantie 2 ans.|Modèle léger pour un usage quotidien.|Lot de "
    "quatre, compatible lave-vaisselle.|Appartement lumineux proche des commerces.",
    "es": "Artículo resistente de materiales reciclados, garantía de 2 años.|Modelo ligero para el uso diario.|Juego "
    "de cuatro, apto para lavavajillas.",
    "it": "Articolo robusto in materiale riciclato, garanzia 2 anni.|Modello leggero per uso quotidiano.|Set da "
    "quattro, lavabile in lavastoviglie.",
    "pt": "Produto resistente de material reciclado, garantia de 2 anos.|Modelo leve para uso diário.|Conjunto de "
    "quatro peças.",
    "nl": "Stevig artikel van gerecycled materiaal, 2 jaar garantie.|Licht model voor dagelijks gebruik.",
    "pl": "Trwały produkt z materiałów z recyklingu, 2 lata gwarancji.|Lekki model do codziennego użytku.",
    "ru": "Прочное изделие, гарантия 2 года.|Лёгкая модель для ежедневного использования.",
    "ja": "毎日使える軽量モデルです。|再生素材を使用、2年保証。",
    "zh": "采用环保材料，质保两年。|轻便耐用，适合日常使用。",
}
AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{a}.0.0.0 "
    "Safari/537.36|Mozilla/5.0 (iPhone; CPU iPhone OS 17_{b} like Mac OS X) AppleWebKit/605.1.15 "
    "Version/17.{b} Mobile/15E148 Safari/604.1|"
    "curl/8.{b}.0|python-requests/2.{a}|Mozilla/5.0 (X11; Linux x86_64; rv:{a}.0) Gecko/20100101 "
    "Firefox/{a}.0|Googlebot/2.1 (+http://www.google.com/bot.html)"
).split("|")
PATHS = "/;/index.html;/login;/api/v1/items/{n};/products/{n};/cart;/search?q=lamp;/static/app.js;/favicon.ico;/wp-admin;/about;/api/orders/{n}".split(
    ";"
)
MAIL_DOMAINS = {
    "": "gmail.com yahoo.com hotmail.com outlook.com example.com icloud.com mail.com aol.com proton.me example.org".split(),
    "de": "web.de gmx.de t-online.de freenet.de".split(),
    "fr": "orange.fr free.fr laposte.net wanadoo.fr sfr.fr".split(),
    "it": "libero.it virgilio.it tiscali.it pec.it".split(),
    "es": "terra.es telefonica.net hotmail.es".split(),
    "pl": "wp.pl onet.pl o2.pl interia.pl".split(),
    "ru": "mail.ru yandex.ru bk.ru".split(),
    "pt": "sapo.pt uol.com.br bol.com.br".split(),
    "nl": "ziggo.nl kpnmail.nl planet.nl".split(),
    "cs": "seznam.cz centrum.cz".split(),
    "hu": "freemail.hu citromail.hu".split(),
    "ja": "yahoo.co.jp docomo.ne.jp ezweb.ne.jp".split(),
    "zh": "qq.com 163.com 126.com".split(),
    "ko": "naver.com hanmail.net".split(),
    "sv": "telia.com".split(),
    "fi": "suomi24.fi luukku.com".split(),
    "tr": "mynet.com".split(),
    "uk": "ukr.net".split(),
    "ro": "yahoo.ro".split(),
}
ROMAN = {
    "zh": (
        "Wei Fang Min Jing Lei Qiang Li Na Yan Chao Juan Ming Ping Hui Jun Xia Bo Hao Ying Xin Yu Ting Tao "
        "Peng Hong Mei Rui Jie Kai Zhen".split(),
        "Wang Li Zhang Liu Chen Yang Zhao Huang Zhou Wu Xu Sun Hu Zhu Gao Lin He Guo Ma Luo Liang Song Zheng "
        "Xie Han Tang Feng Yu Dong Xiao".split(),
    ),
    "ko": (
        "Min-jun Seo-yeon Ji-hoon Ha-eun Do-yun Ji-woo Hyun-woo Soo-jin Young-ho Mi-sook Sung-min Eun-ji "
        "Jae-hyun Yuna Jin-ah Kyung-soo Dong-hyun Hye-jin".split(),
        "Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Han Oh Seo Shin Kwon Hwang Ahn Song Yoo Hong".split(),
    ),
    "ar": (
        "Mohammed Ahmed Ali Omar Youssef Khalid Hassan Ibrahim Fatima Aisha Mariam Noura Layla Sara Huda "
        "Abdullah Saeed Mona Rania Tariq Zainab Hussein Salma Karim Nasser Amal".split(),
        "Al-Harbi Al-Otaibi Hassan Ibrahim Mansour Al Sayed Haddad Khoury Nasser Saleh Al-Qahtani Abbas Farah "
        "Hamdan Mahmoud El-Masry Al-Zahrani Aziz Najjar Suleiman".split(),
    ),
    "he": (
        "Noam Yael David Tamar Moshe Shira Avi Michal Yossi Rivka Eitan Noa Daniel Maya Amit Ronit Uri Dana".split(),
        "Cohen Levi Mizrahi Peretz Biton Friedman Azoulay Katz Shapiro Ben-David Avraham Dahan Golan Rosenberg "
        "Malka".split(),
    ),
    "hi": (
        "Rahul Priya Amit Anjali Vijay Sunita Rajesh Pooja Sanjay Kavita Arjun Neha Suresh Deepa Ravi Lakshmi "
        "Manoj Asha Vikram Meena Rohan Sneha".split(),
        "Sharma Patel Singh Kumar Gupta Reddy Iyer Nair Das Joshi Mehta Verma Rao Mishra Chopra Desai Bose "
        "Naidu Yadav Pillai".split(),
    ),
    "fa": (
        "Ali Reza Maryam Zahra Hossein Sara Amir Fatemeh Mehdi Narges Saeed Leila".split(),
        "Ahmadi Mohammadi Hosseini Karimi Rezaei Moradi Jafari Rahimi Hashemi Ebrahimi".split(),
    ),
    "th": (
        "Somchai Suda Anong Niran Kanya Prasert Malee Chai Siriporn Wichai".split(),
        "Srisai Suwan Chaiyasit Wongsa Thongchai Saetang Boonmee Rattana".split(),
    ),
    "vi": (
        "Anh Minh Huong Lan Tuan Hoa Nam Linh Dung Thao Hung Mai".split(),
        "Nguyen Tran Le Pham Hoang Phan Vu Dang Bui Do".split(),
    ),
    "ja": (
        "Haruto Yui Sota Sakura Yuto Hina Ren Aoi Takashi Yoko Kenji Akiko Hiroshi Naoko Satoshi Emi".split(),
        "Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada Sasaki Mori".split(),
    ),
    "ka": ("Giorgi Nino Luka Mariam Davit Ana".split(), "Beridze Kapanadze Gelashvili Maisuradze Giorgadze".split()),
    "hy": ("Armen Ani Hayk Mariam Tigran Anahit".split(), "Sargsyan Harutyunyan Grigoryan Petrosyan Hakobyan".split()),
}
PLACE_FORMS = {
    language: forms.split(";")
    for language, forms in {
        "en": "{c} General Hospital;{c} Clinic;St. {l} Hospital;{l} Pharmacy;{c} Museum;{b} {c};{b} - {c};{c} "
        "Central Station;Hotel {l};{l}'s Restaurant;{c} Library;Café {l};{c} Medical Center;{b} Store #12 "
        "{c};{l} Motors;{c} Park;{c} Community Center;The {l} Inn",
        "de": "Klinikum {c};{l}-Apotheke;Filiale {c};Hotel {l};Gasthaus {l};{b} {c};Stadtbibliothek {c};Krankenhaus "
        "{c};Bahnhof {c};Museum {c};Praxis Dr. {l};Bäckerei {l}",
        "fr": "Hôpital {c};Clinique {l};Pharmacie {l};Hôtel de {c};Restaurant {l};{b} {c};Magasin {c};Gare de "
        "{c};Médiathèque de {c};Boulangerie {l}",
        "es": "Hospital de {c};Clínica {l};Farmacia {l};Hotel {c};Restaurante {l};Tienda {c};{b} {c};Estación de "
        "{c};Museo de {c}",
        "it": "Ospedale di {c};Farmacia {l};Hotel {l};Trattoria {l};{b} {c};Negozio {c};Stazione di {c};Museo di {c}",
        "pt": "Hospital de {c};Farmácia {l};Hotel {c};Restaurante {l};Loja {c};{b} {c};Estação {c}",
        "nl": "Ziekenhuis {c};Apotheek {l};Hotel {l};Winkel {c};{b} {c};Station {c};Bakkerij {l}",
        "pl": "Szpital w {c};Apteka {l};Hotel {c};Sklep {c};{b} {c};Dworzec {c};Muzeum {c}",
        "ja": "{c}病院;{l}クリニック;{l}薬局;{c}駅;{c}店;{b} {c}店;{c}図書館;ホテル{c}",
        "zh": "{c}人民医院;{c}分店;{b}{c}店;{c}站;{c}图书馆;{c}酒店",
        "ko": "{c}병원;{l}약국;{c}점;{b} {c}점;{c}역;{c}도서관",
        "ru": "Больница г. {c};Аптека {l};Магазин {c};{b} {c};Вокзал {c};Гостиница {c}",
        "sv": "{c} sjukhus;Apoteket {c};Butik {c};{b} {c};Hotell {l}",
        "tr": "{c} Devlet Hastanesi;{l} Eczanesi;{c} Şubesi;{b} {c};{l} Oteli",
        "ar": "مستشفى {c};صيدلية {l};فرع {c};فندق {c};مطعم {l}",
        "cs": "Nemocnice {c};Lékárna {l};Prodejna {c};{b} {c};Hotel {l}",
    }.items()
}
"""Language → names of places: {c} a city, {l} a surname, {b} the table's brand."""
FIRMS = (
    "Google;Microsoft;Amazon;Apple;Walmart;Toyota;Siemens;Shell;Nestlé;Samsung;IBM;Intel;Oracle;Pfizer;Novartis;Volkswagen;BMW;BASF;SAP;Unilever;Tesco;Carrefour;Airbus;Boeing;General "
    "Electric;AT&T;Verizon;Sony;Honda;Nissan;Tata Consultancy Services;Infosys;"
    "Wipro;Accenture;Deloitte;KPMG;HSBC;Barclays;Deutsche Bank;BNP "
    "Paribas;Santander;Enel;Eni;Fiat;Petrobras;Vale;Gazprom;Lukoil;Huawei;Alibaba;Tencent;Lufthansa;Emirates;Ryanair;Delta "
    "Air Lines;United Airlines;Penguin Books;Nintendo;Electronic Arts;Ubisoft;"
    "US Navy;Department of Education;City of Chicago;University of Michigan;Red Cross;Self "
    "Employed;Retired;NHS;Police Department;Mayo Clinic;Johnson & Johnson;Procter & "
    "Gamble;Coca-Cola;PepsiCo;McDonald's;Starbucks;Uber;Netflix;Spotify;PKO BP;Orlen;Škoda "
    "Auto;Ikea;Ericsson;Nokia;Philips;ING"
).split(";")
FIRM_WORDS = (
    "Systems Solutions Logistics Foods Consulting Media Capital Energy Software Motors Pharma Trading Holdings "
    "Industries Labs Partners Bank Insurance Airlines Records Publishing Construction Group"
).split()
FIRM_ENDS = [
    "",
    "",
    " Inc",
    " Inc.",
    " Ltd",
    " LLC",
    " Corp.",
    " GmbH",
    " AG",
    " S.A.",
    " S.r.l.",
    " Co., Ltd.",
    " Sp. z o.o.",
    " BV",
    " AB",
    " plc",
    " Pty Ltd",
]
OFFICES = (
    "POLICE OFFICER;FIREFIGHTER-EMT;SR ACCOUNTANT II;CLERK III;BUS OPERATOR;Registered Nurse;CUSTODIAN;ASST "
    "PROFESSOR;Program Manager I;LIBRARIAN;DEPUTY SHERIFF;Attorney;CIVIL ENGINEER IV;Student "
    "Assistant;PARALEGAL II;Marketing Manager;Owner;Sales Representative;"
    "Vice President, Sales;President;Chairman;Minister;Senator;Managing Director;Account Executive;Software "
    "Developer;Data Analyst;Laborers;Core staff;High skill tech "
    "staff;Exec-managerial;Prof-specialty;Craft-repair;Adm-clerical;Machine-op-inspct;Homemaker;Artist;Actor;Singer;Coach"
).split(";")
PETS = (
    "Bella Max Luna Charlie Lucy Cooper Daisy Milo Rocky Buddy Coco Simba Felix Nala Rex Oscar Shadow Whiskers "
    "Tiger Ginger"
).split()
SHIPS = "HMS Victory;MS Aurora;Queen Mary;Northern Star;Santa Maria;USS Liberty;Baltic Queen;Sea Breeze".split(";")
STORMS = (
    "Alberto Beryl Chris Debby Ernesto Francine Gordon Helene Isaac Joyce Kirk Leslie Milton Nadine Oscar Patty "
    "Rafael Sara Tony Valerie William"
).split()
HEROES = (
    "Captain Thunder;Lady Night;Iron Fox;Doctor Mist;The Wanderer;Princess Elowen;Sir Gareth;Max Power;Red "
    "Falcon;Agent Zero;Mister Smoke;Queen Isolde;Bolt;Shadowcat;Old Tom;Ranger Rick;Homer;Pip;Zelda;Aria Stone"
).split(";")
ORG_TYPES = {
    "airline;carrier;airline name;operating carrier": "Delta Air Lines;American Airlines;Lufthansa;Ryanair;Emirates;Air France;KLM;British "
    "Airways;Qantas;Turkish Airlines;LOT;IndiGo;United Airlines;easyJet",
    "publisher;publisher name;studio;label;network": "Penguin;HarperCollins;Nintendo;Electronic Arts;Ubisoft;Sony Music;Universal;Warner "
    "Bros.;Springer;Elsevier;Hachette;Activision;BBC;Netflix;Random House",
    "agency;department;agency name;office name;ministry": "Department of Health;Police Department;Ministry of Finance;Environmental Protection Agency;Parks and "
    "Recreation;Public Works;Fire Department;Ministerium für Umwelt;Transport Authority;Board of "
    "Education;Census Bureau",
    "manufacturer;maker;brand;make;producer": "Toyota;Ford;BMW;Samsung;Apple;LG;Bosch;Siemens;Hyundai;Volkswagen;Honda;Fiat;Renault;Dell;Lenovo;HP;Xiaomi;Sony;Pfizer;Moderna;AstraZeneca",
    "bank;bank name;lender;institution;issuer": "HSBC;Deutsche Bank;Santander;BNP Paribas;ING;Commerzbank;Chase;Wells Fargo;Bank of America;PKO "
    "BP;Sparkasse;UniCredit;Barclays;HDFC Bank;Citi",
    "university;school;college;institution;alma mater": "Harvard University;MIT;Stanford University;University of Oxford;ETH Zürich;Universität Wien;Sorbonne;Ohio "
    "State;UCLA;University of Tokyo;Tsinghua University;Politecnico di Milano;TU Delft;IIT Bombay",
    "team;home team;away team;club;winner;opponent;team1;team2": "Arsenal;Chelsea;Liverpool;Bayern München;Borussia Dortmund;Real "
    "Madrid;Barcelona;Juventus;Inter;PSG;Ajax;New York Yankees;Boston Red Sox;Chicago Bulls;LA Lakers;Dallas "
    "Cowboys;Mumbai Indians;Legia Warszawa",
    "supplier;vendor;vendor name;merchant;payee company;store": "Amazon;Staples;Walmart;Costco;Tesco;Carrefour;Lidl;Aldi;IKEA;Shell;BP;Uber;Swiggy;Home Depot;Target;Best "
    "Buy;Edeka;Rewe;Biedronka;Mercadona",
    "insurer;payer;insurance company;provider;plan sponsor": "Allianz;AXA;Aetna;Blue Cross Blue Shield;UnitedHealthcare;Cigna;Humana;Medicare;Generali;Zurich;State "
    "Farm;AOK;TK;Barmer",
    "pollster;source;data provider;organisation;source_name": "Gallup;YouGov;Ipsos;Pew Research Center;World Bank;OECD;Eurostat;WHO;Quinnipiac "
    "University;Rasmussen;UN;IMF;Reuters;Bloomberg",
    "party;political party;party name;affiliation": "Democratic;Republican;Labour;Conservative;Liberal Democrats;CDU;SPD;Grüne;FDP;PSOE;Partido "
    "Popular;PiS;Platforma Obywatelska;BJP;Congress;Fidesz;Lega;Ensemble",
}
"""Headers → well-known organisations of a kind."""
KANA_LAST = (
    "サトウ スズキ タカハシ タナカ イトウ ワタナベ ヤマモト ナカムラ コバヤシ カトウ ヨシダ ヤマダ ササキ ヤマグチ マツモト "
    "イノウエ キムラ ハヤシ サイトウ シミズ ヤマザキ モリ イケダ ハシモト アベ イシカワ ヤマシタ ナカジマ イシイ オガワ "
    "マエダ オカダ ハセガワ フジタ ゴトウ コンドウ ムラカミ エンドウ アオキ サカモト フクダ オオタ ニシムラ フジイ カネコ"
)
KANA_FIRST = (
    "ハナコ タロウ ケンイチ ミサキ ショウタ ユミ ダイスケ ケイコ ヒロシ ヨウコ アキラ サクラ ユウト ヒナ ソウタ アオイ "
    "タカシ ナオコ サトシ エミ カズオ ミドリ マサル トモコ ケンジ アヤカ リョウ マイ ユウジ カオリ シンイチ マユミ コウジ"
)
"""Readings of Japanese names in katakana."""
