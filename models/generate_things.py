"""Columns that are no entity: measurements, counts, prices, flags, categories, dates, codes, titles, the hard
negatives above all."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Sequence

import generate_samples as s
import generate_words as w
from generate_group import Group, Maker, Values
from generate_traits import date_form

DOMAINS = {
    "retail": """
        quantity=int 1 20:quantity|qty|units sold|order qty|items|n_items|amount ordered; quantity=skew 1 900:stock|stock quantity|on hand|inventory|units in stock|reorder level
        price=money 15:price|unit price|list price|sale price|cost|unit_cost|retail price|original price|msrp; amount=money 120:total|total amount|subtotal|order total|revenue|sales|line total|grand total|profit|net amount|shipping cost|freight|tax|tax amount
        percent=pct:discount|discount_pct|margin|vat rate|tax rate|discount %; category=cat:category|department|product line|segment|ship mode|channel|sub-category|product category|product type|payment method|payment type
        status=status:status|order status|payment status|fulfillment status|delivery status|state_txt; date=date:order date|ship date|created at|invoice date|due date|delivery date|purchase date|orderdate
        product=product:product|product name|item|description|item name|article|product title|sku name|goods; rating=rating:rating|stars|review score|avg_rating|customer rating; quantity=skew 0 3000:reviews|review count|number of reviews|total_ratings|views|sold
        currency=currency:currency|curr|currency code|waers; colour=colour:colour|color|colour name; unit=unit:unit|uom|unit of measure|meins; flag=flag:in stock|on sale|is_gift|returned|taxable|discontinued|gift wrap|paid; measure=float 0 50 2:weight|weight (kg)|product_weight_g|shipping weight|length_cm|width|height
        category=cat:size|brand tier|material|warehouse|aisle|coupon|promo code; text=description:description|product description|details|features|body_html; code=pattern [A-Z]{4}\\d{2}:coupon code|promo|voucher
    """,
    "finance": """
        amount=money 900:amount|transaction amount|balance|current balance|debit|credit|principal|loan amount|opening balance|fee|payment|monthly installment|credit limit|claim amount|premium|limit_bal
        percent=pct:interest rate|apr|rate|utilization|dti|loan_percent_income|coverage; date=date:transaction date|posting date|value date|maturity|booking date|opened|issue date|last payment date|trans_date
        category=cat:transaction type|type|account type|loan type|currency|purpose|category|card type|home ownership|term|channel; status=status:status|loan status|state|approval status
        number=int 300 850:credit score|fico|score|risk score|cibil; quantity=int 1 480:term|term months|number of payments|tenure|months since last delinquency|duration|loan_term
        quantity=int 0 12:number of accounts|open accounts|inquiries|num_of_loan|dependents|delinquencies|num credit cards; flag=flag:default|fraud|is_fraud|approved|loan approved|delinquent|exited|has_credit_card|class|is_active_member
        number=normal 0 1.5 6:v1|v2|v14|pc1|factor_1|zscore|alpha|beta; text=words:memo line|details|narrative|reference text|booking text; year=year:year|fiscal year|vintage; currency=currency:currency|ccy
        code=pattern [0-9]{4}:mcc|gl code|cost center|ledger|kostl; number=float 0 5 3:ratio|debt ratio|leverage|current ratio; time=clock:time|transaction time; amount=skew 0 90000:assets turnover|market cap (m)|shares|volume|open interest
    """,
    "hr": """
        category=cat:department|team_cd|employment status|contract type|location type|business unit|division|shift|grade|job level|cost center; date=date:hire date|start date|termination date|contract end|last review|date joined|entry date|last promotion|doj
        number=int 1 5:performance rating|job satisfaction|work life balance|environment satisfaction|engagement|relationship satisfaction|stock option level; quantity=int 0 35:years at company|tenure|years of service|years in role|experience|total working years|yrs since promotion|num companies worked
        flag=flag:attrition|overtime|remote|full time|manager|active|left|promoted|probation|over 18|work_accident; quantity=int 0 40:vacation days|sick days|absences|leave balance|training hours|hours per week|absenteeism; percent=pct:fte|percent salary hike|utilisation|bonus pct|raise
        category=cat:business travel|education field code|pay frequency|reason for leaving|source|work mode; number=int 100 310:average monthly hours|standard hours|working days; code=pattern [A-Z]\\d{2}:pay grade|band|job code|pay scale; number=float 0 1 2:last evaluation|satisfaction level|score
    """,
    "medical": """
        date=date:visit date|admission date|discharge date|date of service|sample date|appointment|encounter date|test date; quantity=int 1 40:length of stay|los|days|visits|number of medications|num_procedures|time_in_hospital|num_lab_procedures
        category=cat:department|ward|admission type|discharge status|visit type|payer|insurance|triage level|specimen|unit|encounter class|clinic code|arm|cohort; amount=money 800:charges|total cost|copay|billing amount|claim total|base_cost
        measure=float 140 195 1:height|height_cm|body height; measure=float 45 120 1:weight|weight_kg|body weight; flag=flag:readmitted|emergency|insured|consent|survived|follow up|death|outcome|event|censored; status=status:status|test status|claim status
        unit=unit:unit|units|reference unit; number=int 1 400:room|bed|room number|visit no|sequence|study day|followup_days|time; code=pattern \\d{3}:drg|revenue code|site code|room no; category=words:procedure text|lab name|test name|analyte|payer plan
        time=clock:time|arrival time|check-in; year=year:year|study year
    """,
    "web": """
        date=stamp:timestamp|created_at|last_login|updated_at|event time|visit time|session_start|date_time|ts|logged_at|registered; date=epoch:timestamp|ts|time|epoch|created_utc|unix_time|expires
        quantity=skew 1 500:page views|clicks|sessions|likes|followers|impressions|retweets|comments_count|visits|upvotes|posts; number=float 0 600 1:duration|session duration|time on site|load time|response_time_ms|avg_session; number=int 0 90000:bytes|size|content_length|bytes_sent
        category=cat:browser|device type|os|method|level|source|medium|channel|event|event_type|campaign|platform|protocol|severity; code=status_code:status|status code|http_status|response|code; text=path:path|url path|page|endpoint|request|uri stem|resource
        text=agent:user agent|ua|browser string|useragent; flag=flag:is_mobile|converted|bounced|subscribed|verified|newsletter|is_bot|deleted|opt_in|protected; code=version:version|app version|os version|build|release|firmware
        percent=pct:bounce rate|conversion rate|ctr|scroll depth; code=hash:hash|etag|checksum|commit|md5|sha|fingerprint_v; number=int 1024 65535:port|dst_port|src_port|pid_no|process; file=file:file|filename|attachment|image|path_name|document
    """,
    "iot": """
        measure=float -15 38 1:temperature|temp|temp_c|air temperature|tmax|tmin|t2m|dew point; measure=float 0 100 0:humidity|rh|relative humidity|soil moisture|cloud cover; measure=float 960 1040 1:pressure|hpa|barometer|slp
        measure=float 0 30 1:wind speed|wind|gust|rain|precipitation|rainfall_mm|snow; number=int 0 360:wind direction|heading|bearing|azimuth|angle; measure=float 0 5 3:voltage|v_bat|battery|volts|current|ampere|power_kw
        date=stamp:timestamp|time|datetime|reading time|recorded_at|measured at|date|ts; date=epoch:ts|epoch|unix time; measure=walk:value|reading|sensor_value|signal|rssi|co2|pm25|pm10|no2|flow|level|lux|acc_x|gyro_y|ch1|freq
        category=cat:sensor type|quality|unit|status|mode|state|alarm|qc flag; flag=flag:ok|valid|alarm|on|heater_on|fault|anomaly; unit=unit:unit; code=pattern S\\d{2}:sensor|sensor id|node|channel|probe|tag name; number=walk:index|counter|seq|cycle|uptime|step
    """,
    "sport": """
        quantity=int 0 60:goals|points|assists|games|appearances|wins|losses|minutes|runs|hr|rbi|caps|matches|shots|tackles|yellow cards|medals|laps; number=float 0 1 3:batting average|avg|win pct|fg%|obp|slg|rate; rank=row:rank|position|pos|place|no|seed|standing|bib_no
        time=dur:time|finish time|lap time|gap|duration|net time|gun time|split; year=year:season|year|yr|edition; category=cat:pos|position code|league|division|round|event|category|surface|result|stage|hand; date=date:date|match date|game date|debut
        quantity=int 0 8:home score|away score|home goals|ftag|sets; number=int 1 99:jersey|shirt number|number|squad no; measure=float 165 210 0:height|height_cm|ht; measure=float 55 120 0:weight|weight_kg|wt; number=float 1200 2400 0:elo|rating|points total; flag=flag:winner|home|starter|captain|medal|injured
        amount=skew 1000 9000000:market value|transfer fee|attendance|capacity|prize
    """,
    "science": """
        measure=float 0 10 3:sepal length|petal width|diameter|thickness|depth|radius|length_mm|shell weight|conc|absorbance|mean radius|texture_mean|x1|x2; number=normal 0 1 5:x|y|z|feature_1|residual|score|beta|coef|logfc|pc1; number=sci:p-value|pvalue|p|fdr|rate constant|flux
        category=cat:species|class|label|group|treatment|cluster|type|target|condition|strain|sex_code_of_plant; quantity=int 1 300:n|count|sample size|replicate|trial|reads|observations; measure=float 0 14 2:ph|redshift|magnitude|mag|ec|salinity|density
        code=pattern [A-Z]{2,5}\\d{0,2}:gene|symbol|marker|element|allele|formula code; year=year:year|publication year|yr; title=title:title|paper title|study|journal|experiment; flag=flag:significant|control|valid|outlier; measure=float 0 700 1:depth_km|distance|altitude|elevation|wavelength|dist_ly; number=int 1 118:atomic number|z|period|order no
    """,
    "realestate": """
        amount=skew 60000 900000:price|sale price|listing price|assessed value|taxvalue|estimate; amount=skew 400 3800:rent|monthly rent|warm rent|nightly price; quantity=int 1 7:bedrooms|rooms|bathrooms|baths|floors|bhk|beds|parking|garage; measure=float 25 320 0:area|living area|sqft|size_m2|floor area|lot size|building area|m2
        year=year:year built|built|yr_renovated|construction year; category=cat:property type|type|heating|energy class|condition|furnishing|zoning|suburb type; flag=flag:balcony|elevator|furnished|waterfront|pool|pets allowed|has_garden; date=date:listing date|sold date|available from|last review|contract_date
        title=words:listing title|headline|title|name; number=int 0 365:availability_365|days on market|minimum nights|number_of_reviews; text=description:description|listing text|summary; percent=pct:rate|yield|occupancy
    """,
    "edu": """
        number=int 0 100:score|math score|reading score|writing score|exam|midterm|final|grade|test score|attendance pct|marks|ssc_p; category=grade:grade|letter grade|final grade|g3_letter; number=float 1 4 2:gpa|cgpa|grade point; category=cat:class|section|course|subject|semester|major code|track|study program|lunch|house
        quantity=int 0 30:absences|failures|studytime|credits|hours studied|class size|travel time|siblings count; year=year:year|cohort|enrolled|graduation year|intake; flag=flag:passed|scholarship|enrolled|internet|tutoring|placed|activities|paid|nursery; date=date:enrolment date|exam date|submitted
        code=pattern [A-Z]{2,4}\\d{3}:course code|subject code|module|class id
    """,
    "gov": """
        population=skew 900 900000:population|pop|inhabitants|residents|households|total|persons|adults; number=float 0 100 1:rate|percent|share|pct_urban|literacy|unemployment|turnout|index|mortality rate|poverty rate; quantity=skew 0 90000:cases|deaths|count|births|tests|votes|crimes|value|applications|admissions|confirmed|n|m|f|obs_value
        amount=skew 900 60000:gdp per capita|median income|budget|expenditure|per capita income|average wage|cost of living|gdp; year=year:year|period|time_period|census year|ref year; month=month:month|mon|period month; measure=float 1 90000 1:area|area_km2|land area|density|coastline; category=cat:indicator|category|series|measure|level|type|source|dimension|urban/rural
        code=pattern [A-Z]{2}\\d{3}:nuts|area code|ags|region code|geo code|series code; unit=unit:unit|unit of measure; flag=flag:estimated|provisional|eu member|capital; number=float 40 85 1:life expectancy|median age|hdi x100|happiness; code=pattern \\d{5}:fips|gemeinde_nr|insee code|statistical code
        quantity=skew 100 99999:male|female|under 18|65 and over|white alone|households total|foreign born
    """,
    "survey": """
        number=int 1 5:q1|q2|q3a|satisfaction|likelihood|importance|agreement|score|likert_4; number=int 0 10:nps|recommend|score|overall; category=cat:answer|response|frequency|device|source|group|preferred channel|q7; flag=flag:consent|completed|q5_yes|owns car|has_children|voted|smoked ever question; date=stamp:timestamp|start date|submitted at|end date|response time
        number=dur:duration|time taken|duration (min); number=float 0 3 4:weight|wgt|sample weight|wt; quantity=int 0 9:household size|children|kidhome|number of cars|dependents|visits per month|family members; category=cat:favourite colour|transport|plan|interest|housing
        text=words:other text|topic|theme|question|q_label
    """,
    "transport": """
        code=pattern [A-Z]{2}\\d{3,4}:flight|flight number|train|line|route|service; category=airport:origin|destination|from_iata|dest|airport code|departure airport; date=stamp:departure|arrival|scheduled|actual departure|std|eta|pickup_datetime; number=int -10 180:delay|dep_delay|arr_delay|delay minutes|late; measure=skew 50 9000:distance|miles|km|odometer|mileage|km_driven
        category=cat:class|status|fuel|vehicle type|carrier code|gate|cabin|platform|body type|gear|transmission; year=year:model year|year|first registration; number=int 1 400:seats|capacity|passengers|gate no|hp|engine_cc|cylinders|mpg; time=clock:time|dep time|arr time|start|end; amount=money 40:fare|price|toll|tip|fare_amount; flag=flag:cancelled|diverted|on time|accident|vendor flag
        title=brand:make|model|brand|manufacturer model|car name|aircraft; colour=colour:colour|exterior color; measure=float 4 15 1:consumption|l/100km|fuel used
    """,
    "generic": """
        rank=row:#|no|index|row|nr|line|s.no|seq|position|lfd. nr.|unnamed; code=coded:code|class|level|type_cd|x3|group|cat_code|flag2|target; number=skew 0 5000:value|number|total|count|amount|n; year=year:year|yr; date=date:date|created|updated|modified|valid from|valid to|last change; title=title:title|name|label|subject line|film|song|album|book|game
        flag=flag:active|deleted|enabled|flag|is_valid|visible|archived|y_n; status=status:status|state|stat; category=cat:type|category|group|kind|class|tag; text=words:text|label|keyword|description|caption|short text; number=ageish:number|level|pts|amount2|qty|days|wk|duration; number=zipish:number|value|code|qty total|meters|units|population; number=phoneish:number|value|reference no|total bytes|ticks
        code=pattern [A-Z]\\d{2}:code|room|slot|bin|cell|zone; code=version:version|rev; file=file:file|filename|path; code=json:metadata|properties|json|tags|extra|attributes; number=const:company code|client|mandt|constant|batch|bukrs|tenant; unit=unit:unit; empty=empty:notes2|reserved|spare|blank|attribute5|custom_field_3|deprecated; category=letter:grade|class|rank letter|size|type|hand
        date=stamp:created_at|updated_at|timestamp|_synced|load_ts|modified on; quantity=int 0 4:copies|pages|items|children count|priority|tries|retries|severity; percent=pct:percent|share|pct|progress|completion
    """,
    "traps": """
        flag=flag:email sent|email verified|phone verified|has address|email opt in|gender known|ssn verified|has passport|has_credit_card|name changed|ip blocked|is_patient|driver on duty|address valid|newsletter email|sms consent|password reset|has_phone|is employee|citizen flag|race known
        quantity=int 1 90:age of house|house age|company age|vehicle age|account age days|name length|address count|number of employees|employee count|patient count|user count|language count|country count|city rank|job openings|phone calls|emails opened|children age max|number of cards|plate count|passport rank|days since birth of calf
        date=date:customer since|password changed|card expiry date|license expiry|passport expiry|email date|employee start|patient admitted|member since|address updated|name valid from|phone added|id issued|last login
        code=expiry:card expiry|exp date|expiry|valid thru|cc_exp|exp_month_year|good thru; category=cat:phone type|address type|card type|account type|id type|employee type|name type|email status|ip version|gender category of product|language level|user role type|customer segment|patient class|race type|citizenship required|licence class
        number=float 0 100 1:birth rate|gender ratio|sex ratio|median age|age sd|mean income growth|unemployment by race|latency|longitudinal error|lat_err|ip score|email open rate|height at birth|death rate|name similarity|address match score|language score|religion share|literacy by sex|degree celsius|major axis|minor axis
        amount=skew 500 90000:credit card limit|income tax|gdp per capita|salary budget|company income|operating income|net income (m)|city budget|country gdp|phone bill|account balance|card balance|employer contribution|insurance income total|city population|country area
        category=orient:orientation|page orientation|layout; status=openstate:state|issue state|door state|machine state|position state; number=int 1 20:position|race|race no|stage|title no|rank position|job size|last|first|grade position|name no|street lamps|floor|party size
        title=pets:pet name|dog name|horse|animal|cat name; title=ships:ship|ship name|vessel|boat; title=storms:storm|hurricane|storm name; code=pattern [A-Z]{2}:name code|mac port|st|cc|vin_grape|lang_grp; time=dur:age at run|call length|passport control time|session address time
        text=words:name of product|title|company slogan|street furniture|place type|country style|city slogan|race name|job queue|language family; number=const:card id type|phone version|person type|party code; product=brand:vehicle name|device name|model name|phone model|card product|machine name
    """,
}
"""Domain → `concept=maker arguments:headers`, parted by semicolons."""


def _parse(text: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    found = []
    for part in " ".join(text.split()).split("; "):
        for piece in _split(part):
            concept, _, rest = piece.partition("=")
            maker, _, headers = rest.partition(":")
            found.append((concept.strip(), maker.strip(), tuple(headers.strip().rstrip(";").split("|"))))
    return tuple(found)


def _split(part: str) -> list[str]:
    """Lines are joined by blanks: a new item starts at `concept=maker`."""
    out: list[str] = []
    for word in part.split(" "):
        head = word.partition("=")[0]
        if "=" in word and head.isalpha() and head in CONCEPTS:
            out.append(word)
        elif out:
            out[-1] += " " + word
    return out


CONCEPTS = frozenset(
    "quantity price amount percent category status date product rating currency colour unit flag measure text "
    "code number year time month rank title population file empty".split()
)
SPECS = {name: _parse(text) for name, text in DOMAINS.items()}

AIRPORTS = (
    "JFK LHR CDG FRA AMS MAD FCO WAW ARN OSL CPH HEL PRG VIE ZRH LIS ATL ORD LAX DFW DEN SFO SEA MIA YYZ MEX GRU "
    "EZE BOG SCL DXB DOH IST DEL BOM SIN HKG NRT ICN PEK SYD MEL AKL JNB CAI NBO"
).split()


def _number(value: float, places: int) -> str:
    return f"{value:.{places}f}" if places else str(round(value))


def make(g: Group, spec: str) -> Values:
    """The cells of a column that is no entity, one for each row."""
    name, *arguments = spec.split(" ")
    if name in MAKERS:
        return MAKERS[name](g)
    numbers = [float(a) for a in arguments] if name in ("int", "float", "skew", "money", "normal") else []
    rng, n = g.rng, g.size
    match name:
        case "int":
            low, high = int(numbers[0]), int(numbers[1])
            if rng.random() < 0.35:
                peak = rng.uniform(low, high)
                out = [str(min(high, max(low, round(rng.gauss(peak, (high - low) / 6))))) for _ in range(n)]
            else:
                out = [str(rng.randint(low, high)) for _ in range(n)]
            return [f"{v}.0" for v in out] if rng.random() < 0.12 else out
        case "float":
            least, most, places = numbers[0], numbers[1], int(numbers[2])
            places = max(0, places + rng.choice((-1, 0, 0, 0, 1, 2)))
            peak, spread = rng.uniform(least, most), (most - least) / rng.choice((4, 8, 15))
            out = [_number(min(most, max(least, rng.gauss(peak, spread))), places) for _ in range(n)]
            unit = f" {rng.choice(w.UNITS[:15])}" if rng.random() < 0.04 else ""
            return _comma(g, [v + unit for v in out])
        case "skew":
            least, most = max(numbers[0], 0.5), numbers[1]
            out = [str(int(math.exp(rng.uniform(math.log(least), math.log(most))))) for _ in range(n)]
            form = rng.random()
            if form < 0.08:
                return [f"{int(v):,}" for v in out]
            return [f"{v}.0" for v in out] if form < 0.18 else out
        case "money":
            values = [numbers[0] * rng.lognormvariate(0, 0.9) for _ in range(n)]
            form = rng.randrange(12)
            if form == 0:
                sign = rng.choice("$€£₹¥")
                return [f"{sign}{v:,.2f}" for v in values]
            if form == 1:
                return [f"{v:.2f} {rng.choice(('€', 'EUR', 'zł', 'kr', 'Kč'))}".replace(".", ",") for v in values]
            if form == 2:
                return [str(round(v)) for v in values]
            if form == 3:
                return [f"{v * rng.choice((1, -1)):.2f}" for v in values]
            if form == 4:
                return [f"{v:,.2f}" for v in values]
            return _comma(g, [f"{v:.2f}" for v in values])
        case "normal":
            return [f"{rng.gauss(numbers[0], numbers[1]):.{int(numbers[2])}f}" for _ in range(n)]
        case "pattern":
            drawer = s.Drawer(rng, s.pattern(" ".join(arguments)))
            few = [drawer.draw() for _ in range(rng.choice((4, 12, 40)))]
            return g.some(few) if rng.random() < 0.5 else g.each(drawer.draw)
    raise ValueError(f"no maker {spec!r}")


def _comma(g: Group, values: Values) -> Values:
    if g.language not in ("en", "zh", "ja", "ko") and g.rng.random() < 0.3:
        return [v.replace(".", ",") for v in values]
    return values


def _pct(g: Group) -> Values:
    rng = g.rng
    form = rng.randrange(5)
    values = [rng.betavariate(1.5, 4) for _ in range(g.size)]
    if form == 0:
        return [f"{v * 100:.1f}%" for v in values]
    if form == 1:
        return [f"{round(v * 100)}%" for v in values]
    if form == 2:
        return g.some(["0", "0.05", "0.1", "0.15", "0.2", "0.25"])
    return _comma(g, [f"{v * 100:.2f}" if form == 3 else f"{v:.4f}" for v in values])


def _category(g: Group) -> Values:
    rng = g.rng
    if rng.random() < 0.15 and g.place.words:
        return g.skewed(rng.sample(g.place.words, min(len(g.place.words), rng.randint(3, 12))))
    lists = w.pick(w.CATEGORIES, g.language) if rng.random() < 0.6 else w.CATEGORIES["en"]
    values = rng.choice(lists)
    if rng.random() < 0.1:
        values = [v.lower() for v in values]
    return g.skewed(values)


def _status(g: Group) -> Values:
    lists = w.pick(w.STATUSES, g.language) if g.rng.random() < 0.6 else w.STATUSES["en"]
    return g.skewed(g.rng.choice(lists))


def _dates(g: Group) -> list[dt.date]:
    start, days = dt.date(g.rng.randint(1998, 2024), g.rng.randint(1, 12), 1), g.rng.choice((30, 180, 365, 1500, 4000))
    ordered = g.rng.random() < 0.3
    offsets = [g.rng.randrange(days) for _ in range(g.size)]
    return [start + dt.timedelta(o) for o in (sorted(offsets) if ordered else offsets)]


def _date(g: Group) -> Values:
    form = date_form(g)
    if g.rng.random() < 0.03:
        return [str((d - dt.date(1899, 12, 30)).days) for d in _dates(g)]
    return [d.strftime(form) for d in _dates(g)]


def _stamp(g: Group) -> Values:
    rng = g.rng
    form = rng.choice(
        (
            "%Y-%m-%d %H:%M:%S",
            "%Y-%m-%dT%H:%M:%SZ",
            "%Y-%m-%d %H:%M",
            "%d/%m/%Y %H:%M",
            "%m/%d/%Y %I:%M:%S %p",
            "%Y-%m-%dT%H:%M:%S.000+00:00",
            "%d.%m.%Y %H:%M:%S",
            "%Y-%m-%d %H:%M:%S.%f",
            "%d/%b/%Y:%H:%M:%S +0000",
            "%Y%m%d%H%M%S",
            "%a %b %d %H:%M:%S %Y",
        )
    )
    return [
        dt.datetime(d.year, d.month, d.day, rng.randrange(24), rng.randrange(60), rng.randrange(60)).strftime(form)
        for d in _dates(g)
    ]


def _epoch(g: Group) -> Values:
    rng = g.rng
    scale = rng.choice((1, 1, 1000))
    return [
        str(
            ((d - dt.date(1970, 1, 1)).days * 86400 + rng.randrange(86400)) * scale
            + (rng.randrange(1000) if scale > 1 else 0)
        )
        for d in _dates(g)
    ]


def _clock(g: Group) -> Values:
    form = g.rng.choice(("{:02}:{:02}", "{:02}:{:02}:{:02}", "{:02}{:02}", "{}:{:02} AM", "{}h{:02}"))
    return g.each(
        lambda: form.format(g.rng.randrange(12 if "AM" in form else 24), g.rng.randrange(60), g.rng.randrange(60))
    )


def _dur(g: Group) -> Values:
    rng = g.rng
    form = rng.choice(("{h}:{m:02}:{s:02}", "{m}:{s:02}", "{m} min", "{h}h {m}m", "{m}.{s:02}", "PT{m}M{s}S", "{t}"))
    return g.each(
        lambda: form.format(h=rng.randint(0, 4), m=rng.randint(0, 59), s=rng.randint(0, 59), t=rng.randint(5, 9000))
    )


def _year(g: Group) -> Values:
    rng = g.rng
    low = rng.choice((1900, 1950, 1980, 2000, 2010, 2018))
    if rng.random() < 0.1:
        return g.each(lambda: f"{(y := rng.randint(low, 2024))}/{(y + 1) % 100:02}")
    if rng.random() < 0.15:
        return [str(rng.randint(low, 2024))] * g.size
    out = g.each(lambda: str(rng.randint(low, 2025)))
    return [f"{v}.0" for v in out] if rng.random() < 0.06 else out


def _month(g: Group) -> Values:
    names = g.rng.choice(
        (
            [str(i) for i in range(1, 13)],
            "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(),
            [f"{i:02}" for i in range(1, 13)],
            [f"2023-{i:02}" for i in range(1, 13)],
        )
    )
    return g.some(names)


def _product(g: Group) -> Values:
    rng = g.rng
    things = rng.choice(w.pick(w.PRODUCTS, g.language))
    kind = rng.randrange(5)
    if kind == 0:
        return g.some(things)
    if kind == 1:
        return g.each(
            lambda: f"{rng.choice(w.BRANDS)} {rng.choice(things)} {rng.choice('ABCDEFGXZ')}{rng.randint(10, 990)}"
        )
    if kind == 2:
        return g.each(lambda: f"{rng.choice(w.ADJECTIVES)} {rng.choice(things)}")
    if kind == 3:
        return g.each(
            lambda: (
                f"{rng.choice(things).capitalize()}, {rng.choice(w.ADJECTIVES).lower()}, {rng.randint(1, 60)} "
                f"{rng.choice(('cm', 'mm', 'pcs', 'ml', 'inch', 'kg'))}"
            )
        )
    return g.each(
        lambda: (
            f"{rng.choice(w.BRANDS)} {rng.choice(w.ADJECTIVES)} {rng.choice(things)} "
            f"({rng.choice(('Black', 'White', '64 GB', '2-pack', 'Large'))})"
        )
    )


def _title(g: Group) -> Values:
    rng = g.rng
    if rng.random() < 0.2:
        return g.each(
            lambda: (
                f"{rng.choice(('Advances in', 'On', 'A Survey of', 'Towards', 'Modelling', 'Effects of'))} "
                f"{rng.choice(w.RESEARCH)}{rng.choice(('', ' in Practice', ': A Review', ' and ' + rng.choice(w.RESEARCH)))}"
            )
        )
    pick = w.TITLE_WORDS
    forms: tuple[str, ...] = (
        "The {a} {b}",
        "{a} of the {b}",
        "{a} {b}",
        "{a}",
        "{a} & {b}",
        "{a} in the {b}",
        "The {a}",
        "{a} {n}",
        "{a} {b} {n}",
        "My {a}",
    )
    if rng.random() < 0.25 and g.place.words:
        pick = [x.capitalize() for x in g.place.words]
        forms = ("{a} {b}", "{a}", "{a} {b} {n}")
    return g.each(lambda: rng.choice(forms).format(a=rng.choice(pick), b=rng.choice(pick), n=rng.randint(2, 9)))


def _words(g: Group) -> Values:
    rng = g.rng
    pool = g.place.words if rng.random() < 0.6 and g.place.words else tuple(t.lower() for t in w.TITLE_WORDS)
    most = rng.choice((1, 2, 3, 5))
    return g.each(lambda: " ".join(rng.choices(pool, k=rng.randint(1, most))))


def _description(g: Group) -> Values:
    texts = w.DESCRIPTIONS.get(g.language)
    if texts is None:
        return g.some(g.place.sentences)
    things = w.pick(w.PRODUCTS, g.language)[0]
    return g.each(lambda: g.rng.choice(texts.split("|")).replace("{x}", g.rng.choice(things)))


def _flag(g: Group) -> Values:
    rng = g.rng
    pair = w.LOCAL_FLAGS[g.language] if g.language in w.LOCAL_FLAGS and rng.random() < 0.35 else rng.choice(w.FLAGS)
    share = rng.choice((0.5, 0.2, 0.8, 0.05, 0.95))
    return [pair[0] if rng.random() < share else pair[1] for _ in range(g.size)]


def _coded(g: Group) -> Values:
    top = g.rng.choice((1, 2, 3, 5, 9))
    low = g.rng.randint(0, 1)
    return g.skewed([str(i) for i in range(low, top + low + 1)])


def _row(g: Group) -> Values:
    start = g.rng.choice((0, 1, 1, 1))
    return [str(i + start) for i in range(g.size)]


def _walk(g: Group) -> Values:
    rng = g.rng
    value, step, places = rng.uniform(-50, 500), rng.choice((0.1, 1, 5)), rng.choice((0, 1, 2, 3, 6))
    out = []
    for _ in range(g.size):
        value += rng.gauss(0, step)
        out.append(_number(value, places))
    return out


def _file(g: Group) -> Values:
    rng = g.rng
    form = rng.choice(
        (
            "IMG_{n:04}.jpg",
            "{w}_{n}.pdf",
            "/data/{w}/{n}.csv",
            "C:\\docs\\{w}.docx",
            "{w}-{n}.png",
            "scan{n}.tif",
            "uploads/{n}/{w}.jpeg",
        )
    )
    return g.each(lambda: form.format(n=rng.randint(1, 9999), w=rng.choice(w.TITLE_WORDS).lower()))


def _agent(g: Group) -> Values:
    return g.each(lambda: g.rng.choice(w.AGENTS).format(a=g.rng.randint(90, 130), b=g.rng.randint(0, 6)))


def _path(g: Group) -> Values:
    verb = "GET " if g.rng.random() < 0.2 else ""
    return g.each(lambda: verb + g.rng.choice(w.PATHS).format(n=g.rng.randint(1, 9999)) + (" HTTP/1.1" if verb else ""))


def _json(g: Group) -> Values:
    rng = g.rng
    if rng.random() < 0.3:
        return g.each(
            lambda: "[" + ", ".join(f'"{x.lower()}"' for x in rng.sample(w.ADJECTIVES, rng.randint(0, 3))) + "]"
        )
    return g.each(
        lambda: (
            f'{{"{rng.choice(("size", "level", "n"))}": {rng.randint(1, 99)}, '
            f'"{rng.choice(("ok", "tag", "mode"))}": "{rng.choice(w.ADJECTIVES).lower()}"}}'
        )
    )


def _ageish(g: Group) -> Values:
    """Whole numbers in the range of ages that are none."""
    peak = g.rng.uniform(20, 60)
    return [str(max(1, round(g.rng.gauss(peak, 14)))) for _ in range(g.size)]


def _zipish(g: Group) -> Values:
    return g.each(lambda: str(g.rng.randint(10000, 99999)))


def _phoneish(g: Group) -> Values:
    width = g.rng.choice((9, 10, 10, 11, 12))
    return g.each(lambda: str(g.rng.randint(10 ** (width - 1), 10**width - 1)))


def _constant(g: Group) -> Values:
    return [g.rng.choice(("1", "100", "1000", "A", "001", "DEFAULT", "main", "0", "EUR", "N"))] * g.size


def _rating(g: Group) -> Values:
    form = g.rng.randrange(5)
    if form == 0:
        return g.each(lambda: f"{g.rng.uniform(2, 5):.1f}")
    if form == 1:
        return g.each(lambda: f"{g.rng.randint(1, 5)} stars")
    if form == 2:
        return g.each(lambda: f"{g.rng.uniform(4, 10):.1f}/10")
    return g.each(lambda: str(min(5, max(1, round(g.rng.gauss(4, 1))))))


def _expiry(g: Group) -> Values:
    """The month a card runs out."""
    form = g.rng.choice(("{m:02}/{y}", "{m:02}/20{y}", "20{y}-{m:02}", "{m:02}{y}"))
    return g.each(lambda: form.format(m=g.rng.randint(1, 12), y=g.rng.randint(21, 32)))


MAKERS: dict[str, Maker] = {
    "pets": lambda g: g.skewed(w.PETS),
    "ships": lambda g: g.skewed(w.SHIPS),
    "storms": lambda g: g.some(w.STORMS),
    "orient": lambda g: g.some(["portrait", "landscape"]),
    "openstate": lambda g: g.skewed(["open", "closed", "ajar", "unknown"]),
    "expiry": _expiry,
    "pct": _pct,
    "cat": _category,
    "status": _status,
    "date": _date,
    "stamp": _stamp,
    "epoch": _epoch,
    "clock": _clock,
    "dur": _dur,
    "year": _year,
    "month": _month,
    "product": _product,
    "title": _title,
    "words": _words,
    "description": _description,
    "flag": _flag,
    "coded": _coded,
    "row": _row,
    "walk": _walk,
    "file": _file,
    "agent": _agent,
    "path": _path,
    "json": _json,
    "ageish": _ageish,
    "zipish": _zipish,
    "phoneish": _phoneish,
    "const": _constant,
    "rating": _rating,
    "colour": lambda g: g.skewed(g.rng.choice(w.pick(w.COLOURS, g.language))),
    "unit": lambda g: g.skewed(g.rng.sample(w.UNITS, g.rng.randint(1, 6))),
    "currency": lambda g: g.skewed(g.rng.sample(w.CURRENCIES, g.rng.randint(1, 5))),
    "grade": lambda g: g.some(["A", "B", "C", "D", "F", "A-", "B+"]),
    "letter": lambda g: g.skewed(
        g.rng.choice((list("ABCDE"), list("SML"), list("XY"), list("RL"), list("ABCDEFGHIJ")))
    ),
    "airport": lambda g: g.skewed(g.rng.sample(AIRPORTS, g.rng.randint(3, 30))),
    "version": lambda g: g.each(lambda: f"{g.rng.randint(0, 12)}.{g.rng.randint(0, 20)}.{g.rng.randint(0, 40)}"),
    "hash": lambda g: g.each(lambda: g.rng.randbytes(20).hex()),
    "status_code": lambda g: g.skewed(["200", "404", "301", "500", "302", "403", "304", "201"]),
    "sci": lambda g: g.each(lambda: f"{g.rng.random() ** 6:.3e}"),
    "empty": lambda g: [""] * g.size,
    "brand": lambda g: g.each(
        lambda: f"{g.rng.choice(w.BRANDS)} {g.rng.choice(('X', 'GT', 'S', 'City', 'Cross', 'Sport', '3', 'A4', 'i20'))}"
    ),
}


def some_specs(rng: random.Random, domains: Sequence[str], count: int) -> list[tuple[str, str, str]]:
    """`count` columns that are none of the entities: concept, maker, English header; none twice in a table."""
    pool = [(c, m, h) for d in domains for c, m, headers in SPECS[d] for h in headers]
    weights = [1 / len(headers) for d in domains for _, _, headers in SPECS[d] for _ in headers]
    out: list[tuple[str, str, str]] = []
    for spec in rng.choices(pool, weights, k=count * 3):
        if spec[2] not in [o[2] for o in out]:
            out.append(spec)
    return out[:count]
