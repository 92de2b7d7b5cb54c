"""Words for persons by the part they play, in languages other than English: beside "name" they identify whose it is.

All folded, in the cases that stand behind a name: "nom du patient", "imię pacjenta", "potilaan nimi".
"""

from __future__ import annotations

from typing import Final

from piiscan.core.header_words import fold

_WORDS = """
patienten patientin arztes arzt arztin mutter vater kindes schulers lehrers lehrer antragstellers kunden
bewerbers bewerber ehemann ehefrau versicherten inhabers vertreters patient patiente medecin docteur candidat
candidats candidate eleve enfant mere pere conjoint epoux epouse salarie adherent beneficiaire titulaire
locataire enseignant parent tuteur representant client medico doctor doctora madre padre hijo hija alumno alumna
estudiante paciente cliente empleado empleada trabajador conyuge esposo esposa tutor representante solicitante
propietario titular docente profesor candidato candidata diputado mae pai filho filha aluno funcionario
responsavel professor dependente paziente dottore figlio figlia studente dipendente genitore tutore richiedente
coniuge huisarts moeder vader leerling klant medewerker ouder pacjenta pacjent lekarza lekarz matki ojca dziecka
ucznia klienta pracownika nauczyciela opiekuna malzonka studenta wlasciciela osoby pacienta pacientky lekare
matky otce ditete zaka zakaznika zamestnance ucitele majitele lekara otca dietata ziaka zamestnanca majitela
beteg orvos anyja apja anya gyermek tanulo ugyfel vevo dolgozo szulo tulajdonos pacientului pacient medicului
medic mamei tatalui copilului elevului clientului angajatului copil angajat пациента пациентки врача матери отца
ребенка ученика студента клиента сотрудника учителя владельца заявителя абонента покупателя получателя
отправителя водителя родителя представителя пациент врач мать отец пацієнта лікаря матері батька дитини учня
клієнта співробітника працівника вчителя власника заявника лекаря майката бащата детето служителя собственика
pacijenta ljecnika oca majke djeteta deteta ucenika kupca klijenta zaposlenog zaposlenika roditelja korisnika
vlasnika пацијента оца мајке детета купца клијента запосленог zdravnika ocetu otroka stranke zaposlenega
lastnika ασθενους ασθενη ιατρου γιατρου πατερα πατρος μητερας μητρος παιδιου μαθητη πελατη υπαλληλου εργαζομενου
γονεα ιδιοκτητη hasta doktor hekim anne baba cocuk ogrenci musteri personel calisan veli ogretmen yolcu uye
المريض الطبيب الام الأم الاب الأب الموظف الطالب الطالبة العميل الزبون المعلم الطفل الزوج الزوجة المالك المستلم
المرسل السائق بیمار پزشک پدر مادر مشتری کارمند اموز دانشجو معلم همسر فرزند مالک راننده המטופל מטופל הלקוח לקוח
האב האם אב אם הרופא רופא התלמיד תלמיד העובד עובד הילד ילד הורה המורה מורה ההורה रोगी मरीज पिता माता पति पत्नी
ग्राहक कर्मचारी छात्र शिक्षक डॉक्टर आवेदक बच्चे अभिभावक রোগীর পিতার মাতার স্বামীর ছাত্রের শিক্ষকের গ্রাহকের
কর্মচারীর ผู้ป่วย ลูกค้า พนักงาน นักเรียน นักศึกษา สมาชิก ครู อาจารย์ แพทย์ ผู้ปกครอง บิดา มารดา ผู้สมัคร
เจ้าของ dokter pasien ayah ibu bapak siswa murid mahasiswa pelanggan karyawan pegawai guru dosen wali suami
istri nasabah pemilik pemohon penerima pengirim pelamar anggota pesakit bapa pelajar pekerja penjaga pemandu
pasyente estudyante empleyado guro asawa 議員 顧客 患者 社員 職員 従業員 会員 学生 生徒 児童 担当者 申請者
申込者 代表者 責任者 保護者 世帯主 契約者 利用者 講師 医師 教員 父親 母親 父 母 夫 妻 配偶者 客户 病人 员工 教师
老师 医生 负责人 责任人 联系人 经办人 申请人 收件人 寄件人 收货人 发件人 户主 家长 监护人 父亲 母亲 会员 用户
客戶 病患 員工 老師 醫師 負責人 聯絡人 고객 환자 직원 사원 회원 학생 교사 의사 강사 교수 담당자 대표자 보호자
신청자 지원자 수령인 예약자 아버지 어머니 배우자 potilaan asiakkaan lapsen aidin isan oppilaan opettajan
laakarin tyontekijan omistajan patientens kundens barnets moderns faderns elevens lakarens anstalldes pasientens
kunde legens laerers moderens faderens laegens medarbejderens patsiendi ema isa opilase kliendi tootaja arsti
berna mates teva skolena darbinieka arsta paciento kliento vaiko motinos tevo mokinio darbuotojo gydytojo
kunstler kunstlerin interpretin komponist komponistin regisseur regisseurin schauspieler schauspielerin
darsteller sanger sangerin dichter ubersetzer ubersetzerin schiedsrichter torschutze burgermeister
burgermeisterin oberburgermeister landrat richterin rechtsanwalt rechtsanwaltin notarin erblasser taufpate
trauzeuge brautigam abgeordneter abgeordnete bewerberin schulerin leserin teilnehmende teilnehmerin dozent
dozentin professorin autorin verfasserin fotograf fotografin spender spenderin vorsitzender vorsitzende ehegatte
ehegattin vormund hebamme hausarzt behandler realisatrice acteur acteurs actrice chanteur chanteuse compositeur
compositrice interprete peintre sculpteur photographe traducteur traductrice arbitre buteur avocat avocate
notaire parrain marraine mari veuf autrice autrices depute deputee senateur presidente directrice stagiaire
instituteur institutrice actriz actores cantante compositora escultor fotografo traductor traductora arbitro
goleador alcalde alcaldesa juez jueza abogado abogada notario padrino madrina testigo directora presidenta
concejal senador autora autores diputada ponente maestra huesped becario denunciante imputado contrayente attore
attrice attori compositore pittore scultore traduttore marcatore sindaco giudice avvocato notaio testimone sposo
sposa marito moglie autori relatore relatrice consigliere assessore senatore atriz cantor cantora tradutor
prefeito prefeita juiz juiza advogado advogada tabeliao padrinho madrinha testemunha vereador vereadora
orientador orientadora diretor diretora hospede zanger zangeres componist kunstenaar fotograaf vertaler schrijver
schrijfster scheidsrechter doelpuntenmaker burgemeester advocaat getuige echtgenoot bruid bruidegom voorzitter
kandidaat wethouder behandelaar deelnemer aktorka aktorzy rezyser kompozytor piosenkarz wokalista artysta malarz
rzezbiarz tlumacz autorka sedzia burmistrz wojt adwokat notariusz chrzestny chrzestna swiadek malzonek kandydat
kandydatka senatorka radny radna uczestnik czytelnik herec herecka reziser skladatel zpevak zpevacka umelec malir
prekladatel rozhodci starostka soudce sudca advokat kmotr svedek manzelka poslanec ucastnik ctenar osetrujici
szinesz rendezo zeneszerzo enekes fordito jatekvezeto polgarmester ugyved kozjegyzo keresztapa ferj feleseg
jelolt kepviselo resztvevo regizor compozitor cantaret traducator arbitru judecator autoare diriginte
skadespelare skuespiller regissor kompositor tonsattare sangare konstnar kunstner oversattare oversaetter
oversetter domare dommer borgmester borgmastare vittne deltagare deltager deltaker lantagare lantager nayttelija
ohjaaja saveltaja laulaja taiteilija kirjailija kaantaja tuomari pormestari asianajaja puoliso ehdokas
osallistuja yonetmen oyuncular sarkici besteci sanatci ressam cevirmen hakem avukat aday katilimci glumac
redatelj skladatelj pjevac slikar prevoditelj gradonacelnik odvjetnik suprug supruga sudionik ucesnik режиссер
режиссеры актер актеры актриса композитор художник артист певец переводчик фотограф судья мэр адвокат нотариус
свидетель супруг супруга кандидат депутат участник тренер преподаватель читатель истец ответчик режисер актор
співак перекладач суддя нотаріус свідок учасник викладач позивач відповідач режисьор актьор преводач съдия кмет
глумац редитељ судија συγγραφεασ σκηνοθετησ ηθοποιοσ συνθετησ τραγουδιστησ καλλιτεχνησ ζωγραφοσ μεταφραστησ
διαιτητησ δημαρχοσ δικαστησ δικηγοροσ συμβολαιογραφοσ συζυγοσ υποψηφιοσ βουλευτησ παικτησ προπονητησ 監督 出演者
作曲家 作詞者 歌手 俳優 画家 翻訳者 訳者 編者 弁護士 裁判官 候補者 選手 受講者 参加者 导演 演员 编剧 艺术家 译者
律师 法官 候选人 参赛者 运动员 教练 導演 演員 編劇 藝術家 譯者 律師 候選人 教練 감독 배우 출연진 작곡가 가수 화가
역자 변호사 판사 후보자 선수 코치 참가자 저자 작가 지은이 المؤلف الكاتب المخرج الممثل المغني المترجم القاضي
المحامي المرشح اللاعب المدرب المشارك الشاهد نویسنده کارگردان بازیگر خواننده مترجم داور وکیل قاضی نامزد بازیکن
مربی מחבר סופר במאי שחקן זמר מתרגם שופט מועמד מאמן लेखक निर्देशक अभिनेता गायक अनुवादक न्यायाधीश वकील उम्मीदवार
प्रत्याशी खिलाड़ी ผู้เขียน ผู้แต่ง ผู้กํากับ นักแสดง นักร้อง ผู้แปล ผู้พิพากษา ทนายความ นักกีฬา penulis sutradara
pemeran penyanyi penerjemah wasit pengacara peserta atlet pelatih pemain bupati inspector inspectors landowner
farmer fisher beekeeper breeder lobbyist grantee awardee honoree laureate medalist arbitrator auditor notary
mediator verstorbener verstorbene verstorbenen nutzungsberechtigter nutzungsberechtigte impfling impflinge
tauflinge halterin tierhalter landwirt pachter begunstigter begunstigte zahlungspflichtiger prufling prufer
gutachter gutachterin erziehungsberechtigter erziehungsberechtigte elternteil mariee defunt defunte elu elue
dirigeant dirigeante gerante agriculteur proprietaires licencie licenciee fallecido fallecida agricultor
agricultora ganadero inspectora investigadora beneficiaria beneficiarios becaria funcionaria defunto ispettore
ispettrice agricoltore servidora falecido pescador overledene landbouwer inspecteur rechthebbende zmarly zmarla
rolnik inspektor darczynca lokator zemrely zesnuly zemedelec darce najemnik elhunyt gazdalkodo adomanyozo decedat
donator avliden lantbrukare avdod vainaja viljelija lahjoittaja ciftci muhtar mudur bagisci arendator фермер
инспектор арендатор умершии жертвователь даритель депутаты руководители інспектор орендар померлии земеделец
γεωργοσ επιθεωρητησ ενοικιαστησ αποβιωσασ مزارع المزارع المستأجر المؤجر المتوفى المفتش کشاورز مستاجر किसान कृषक
मृतक निरीक्षक किरायेदार लाभार्थी हितग्राही เกษตรกร ผู้เช่า ผู้เสียชีวิต ผู้บริจาค petani penyewa almarhum donatur
農業者 借主 貸主 故人 寄付者 農民 承租人 逝者 捐赠人 농민 임차인 임대인 기부자 고인 headteacher scenarzysta
impfarzt impfarztin 사망자 선수명 empfanger absender kaufer auftraggeber besteller ordenante ordinante zleceniodawca
注文者 購入者 受取人 依頼主 名義人 买家 购买人 订购人 持卡人 乘客 投保人 被保险人 受益人 付款人 收款人 收货人 收件人
買家 購買人 訂購人 구매자 수취인 수령자 주문자 입금자 받는분 보내는분
repondant repondante repondants enquete enquetee enquetes encuestado encuestada encuestados entrevistado entrevistada
intervistato intervistata rispondente inquirido inquirida deltaker ankietowany ankietowana respondentka dotazovany
megkerdezett vastaaja svarande informant informante probando proband probandin versuchsperson auszubildender azubi
aprendiz apprenti apprentie apprendista leerjongere larling laerling lehrling респондент респондента опрошенный
испытуемый респондентка ερωτωμενοσ 回答者 被验者 受访者 응답자 responden
"""
ROLES: Final = frozenset(map(fold, _WORDS.split()))
"""Without words that are something else in English or another language: "kind", "barn", "elev"."""
