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
"""
ROLES: Final = frozenset(map(fold, _WORDS.split()))
"""Without words that are something else in English or another language: "kind", "barn", "elev"."""
