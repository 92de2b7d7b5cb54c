"""Headers of scripts that put no spaces between words, cut at the words that headers are made of.

Chinese, Japanese, Korean and Thai write "member name" or "school telephone number" as one run of characters. What is
known below is cut out of a run, the longest word first; what lies between stays together. No character is cut off
alone at the end: 名 ends the name of a person, a product and a file.
"""

from __future__ import annotations

from piiscan.core.lazy_pattern import lazy_pattern

_WORDS = """
氏名 名前 姓名 本名 通称 旧姓 苗字 名字 ふりがな フリガナ よみがな ヨミガナ 読み仮名 読み方 カナ かな ローマ字
英字 漢字 電話 番号 携帯 携帯電話 住所 所在地 郵便 郵便番号 都道府県 市区町村 市町村 番地 建物名 生年月日 誕生日
年齢 年代 性別 メール アドレス メールアドレス 会社 部署 役職 職業 職種 国籍 年収 給与 月給 給料 顧客 患者 社員
職員 従業員 会員 学生 生徒 児童 担当者 申請者 申込者 代表者 責任者 保護者 世帯主 契約者 利用者 議員 講師 先生
医師 教員 教授 作者 著者 連絡先 緊急連絡先 父親 母親 父 母 夫 妻 子供 配偶者 口座 口座番号 口座名義 銀行 支店
運転免許 免許証 旅券 パスポート マイナンバー 個人番号 保険証 被保険者 ユーザー ユーザ ログイン パスワード 宗教
婚姻 勤務先 学校 学歴 学年 備考 病名 診断 区分 種別 種類 有無 件数 日付 日時 コード フラグ 状態 状況 商品 製品
施設 店舗 病院 电话 手机 手机号 号码 编号 联系 联系人 联系电话 联系方式 地址 住址 通讯地址 邮箱 邮编 邮政编码
电子邮件 电子邮箱 身份证 身份证号 证件 证件号 证件号码 护照 出生 出生日期 出生年月 生日 年龄 性别 民族 籍贯
婚姻状况 学历 职务 职位 岗位 工资 薪资 薪水 收入 用户 用户名 账号 帐号 账户 账户名 密码 客户 病人 员工 教师 老师
医生 负责人 责任人 联络人 法人 法定代表人 经办人 申请人 收件人 寄件人 收货人 发件人 户主 家长 监护人 父亲 母亲
会员 车牌 车牌号 银行卡 卡号 开户行 公司 单位 部门 城市 省份 类型 状态 日期 时间 数量 备注 产品 名称 驾驶证
驾驶证号 纳税人 职业 手機 號碼 聯絡人 聯絡電話 聯絡 郵遞區號 電子郵件 信箱 電子信箱 身分證 身分證字號 護照 年齡
國籍 婚姻狀況 學歷 職稱 薪資 使用者 帳號 密碼 客戶 病患 員工 學生 老師 醫師 負責人 駕照 宗教信仰 统一编号
統一編號 이름 성명 성함 전화 전화번호 번호 휴대폰 휴대전화 핸드폰 연락처 주소 도로명 도로명주소 지번주소
우편번호 이메일 메일 생년월일 생일 나이 연령 성별 주민등록번호 주민번호 여권 여권번호 운전면허 계좌 계좌번호
예금주 은행 직업 직책 직위 부서 급여 연봉 월급 소득 국적 종교 결혼 혼인 학력 학번 사번 회원 고객 환자 직원 사원
학생 교사 의사 강사 교수 담당자 대표자 보호자 신청자 지원자 수령인 예약자 아버지 어머니 배우자 아이디 비밀번호
사용자 회사 학교 도서관 병원 구분 종류 여부 상태 일자 날짜 코드 소재지 도시 ชื่อ นามสกุล สกุล ชื่อเล่น ชื่อเต็ม
คำนำหน้า โทรศัพท์ เบอร์โทร เบอร์โทรศัพท์ เบอร์ มือถือ หมายเลข ที่อยู่ อีเมล อีเมล์ วันเกิด วันเดือนปีเกิด อายุ
เพศ สัญชาติ ศาสนา อาชีพ เงินเดือน รายได้ รหัสไปรษณีย์ จังหวัด อำเภอ ตำบล เมือง ผู้ป่วย ลูกค้า พนักงาน นักเรียน
นักศึกษา สมาชิก ครู อาจารย์ แพทย์ ผู้ปกครอง บิดา มารดา ผู้สมัคร ผู้ติดต่อ เจ้าของ บัตรประชาชน เลขบัตรประชาชน
เลขประจำตัวประชาชน เลขประจำตัว หนังสือเดินทาง บัญชี เลขที่บัญชี ชื่อผู้ใช้ ผู้ใช้ รหัสผ่าน เลขที่ รหัส สถานภาพ
สถานภาพสมรส สินค้า บริษัท ประเภท วันที่ จำนวน 注文者 購入者 受取人 依頼主 送付先 配送先 届け先 更新者 作成者 登録者
名義人 买家 卖家 收货 购买人 订购人 持卡人 乘客 投保人 被保险人 受益人 付款人 收款人 買家 購買人 訂購人 구매자 수취인
수령자 주문자 입금자 받는분 보내는분 받는사람 보내는사람 배송지 작성자 등록자 수정자
"""
_UNSPACED = lazy_pattern("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_KNOWN = lazy_pattern("|".join(sorted({w for w in _WORDS.split() if len(w) > 1}, key=lambda w: (-len(w), w))))


def segments(token: str) -> list[str]:
    """The words of a token.

    >>> segments("会員氏名"), segments("학교전화번호"), segments("商品名"), segments("name")
    (['会員', '氏名'], ['학교', '전화번호'], ['商品名'], ['name'])
    """
    if token.isascii() or not _UNSPACED.search(token):
        return [token]
    out: list[str] = [""]
    end = 0
    for found in _KNOWN.finditer(token):
        out += [token[end : found.start()], found[0]]
        end = found.end()
    if len(token) - end == 1:
        out[-1] += token[end:]
        end += 1
    return [part for part in (*out, token[end:]) if part]
