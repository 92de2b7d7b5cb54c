"""Names of files, folders and columns that are persons' full names; what data sets are called by is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mask_people import key_file, piiscan

from piiscan.detection.matching.identifiers_in_names import is_of_person
from piiscan.detection.text.persons_in_headers import of_persons

DATA_SETS = """
    iris wine wine-quality breast_cancer breast-cancer-wisconsin diabetes pima-indians-diabetes boston
    boston_housing california_housing digits mnist fashion_mnist cifar10 cifar100 olivetti_faces lfw lfw_people
    lfw_pairs newsgroups 20newsgroups reuters rcv1 covtype kddcup99 linnerud adult adult_income census_income
    german_credit german-credit-data australian_credit credit_approval heart_disease heart-disease-cleveland
    hepatitis lung_cancer lymphography mushroom mushrooms nursery abalone arrhythmia audiology balance_scale
    ballot car_evaluation chess chess_king_rook connect4 cylinder_bands dermatology ecoli glass haberman
    habermans_survival hayes_roth hayes-roth horse_colic ionosphere isolet letter_recognition madelon
    monks_problems musk optdigits page_blocks parkinsons parkinsons_telemonitoring pendigits poker_hand
    primary_tumor sonar soybean spambase spect spectf statlog_shuttle statlog_vehicle tic_tac_toe vowel waveform
    yeast zoo bank_marketing bank-full bank-additional-full online_retail online_retail_ii bike_sharing day hour
    airfoil_self_noise concrete_strength energy_efficiency yacht_hydrodynamics forest_fires student-mat
    student-por wholesale_customers seeds dow_jones_index air_quality beijing_pm25 gas_sensor har_smartphones
    human_activity mtcars cars faithful old_faithful ToothGrowth PlantGrowth ChickWeight InsectSprays USArrests
    USJudgeRatings airquality airmiles AirPassengers anscombe attenu attitude austres BJsales BOD CO2 chickwts
    co2 discoveries DNase esoph euro eurodist EuStockMarkets Formaldehyde freeny HairEyeColor Harman23.cor
    Harman74.cor Indometh infert islands JohnsonJohnson johnson_johnson LakeHuron lh LifeCycleSavings Loblolly
    longley lynx morley nhtemp Nile nottem npk occupationalStatus Orange OrchardSprays precip presidents
    pressure Puromycin quakes randu rivers rock Seatbelts sleep stackloss state.x77 sunspots swiss Theoph trees
    UCBAdmissions UKDriverDeaths uspop VADeaths volcano warpbreaks women WorldPhones WWWusage diamonds economics
    midwest mpg msleep presidential seals txhousing penguins palmer_penguins palmerpenguins gapminder
    nycflights13 flights flight_delays planes airports airlines weather babynames starwars storms tips taxis
    dots exercise fmri geyser glue healthexp planets brain_networks anagrams attention car_crashes movielens
    movies ratings ml-100k netflix_titles imdb_reviews spotify_songs titanic_train titanic_test house_prices
    ames_housing ames-housing melbourne_housing king_county_house_sales boston_marathon new_york_taxi nyc_taxi
    chicago_crime san_francisco_crime los_angeles_crime washington_dc_bikes london_crime paris_air_quality
    madrid_traffic hong_kong_covid san_jose_permits santa_fe st_louis_encephalitis florence_weather
    victoria_road_crashes austin_animal_center austin_bikeshare houston_flood dallas_police denver_crime
    charlotte_weather jackson_heart_study framingham framingham_heart_study nurses_health_study carolina_births
    north_carolina_births georgia_elections virginia_covid virginia_deaths dakota_access jordan_population
    chad_population israel_census kelly_blue_book barnes_noble marks_spencer walmart_sales rossmann_store_sales
    wells_fargo jp_morgan morgan_stanley johnson_matthey ben_jerry jack_daniels martin_marietta harley_davidson
    rolls_royce aston_martin royal_mail tesla_stock apple_stock amazon_reviews yelp_reviews enron_emails avocado
    covid19_italy lahman_baseball lahman batting pitching fielding salaries master nba_players fifa_players
    world_cup olympic_games olympics pokemon lego_sets board_games ramen_ratings beer_reviews coffee_quality
    chocolate_ratings wine_reviews mall_customers telco_churn telco-customer-churn hr_analytics ibm_hr_attrition
    loan_prediction lending_club fraud_detection credit_card_fraud german_credit_risk home_credit
    stroke_prediction insurance medical_cost heart_failure cervical_cancer thyroid dry_bean rice_cammeo_osmancik
    raisin pistachio date_fruit grant_applications page_views frank_wolfe grace_satellite mark_twain_readability
    rose_diagram carter_elections newton_method gauss_markov lorenz_curve gini_index fisher_iris anderson_iris
    fisher_exact pearson_correlation student_t bayes_net hudson_river clay_minerals sandy_hook hurricane_sandy
    hurricane_katrina hurricane_harvey hurricane_maria harvey_flood katrina_survey grant_thornton april_may
    june_july may_june august_sales sales_august april_report iris_virginica iris_setosa rose_wine daisy_chain
    robin_hood sherlock_holmes charlotte_bronte dean_witter ernst_young mercedes_benz carmen_sandiego
    ada_lovelace_day norman_conquest lincoln_lab bell_labs hopkins_covid johns_hopkins johns_hopkins_covid19
    johns_hopkins_data mayo_clinic kaiser_permanente stanford_dogs oxford_pets
    jordan_data washington_2020 paris_hilton_hotels may_sales mary_kay_products san_francisco
""".split()


@pytest.mark.parametrize(
    "name",
    [
        "Kernweiler, Anna.csv",
        "Kowalska, Anna.csv",
        "Müller, Hans-Peter.csv",
        "García Márquez, Gabriel.csv",
        "SMITH, JOHN.csv",
        "smith_john.csv",
        "Kowalska_Anna_2024.pdf",
        "Rechnung Müller Hans.pdf",
        "Nowak Piotr",
        "John Q. Smith.csv",
    ],
)
def test_family_names_first_and_initials(name: str) -> None:
    assert is_of_person(name)


@pytest.mark.parametrize("ending", [".csv", ""])
def test_data_sets_are_not_called_after_persons(ending: str) -> None:
    names = [name + ending for name in DATA_SETS]
    titles = [name.replace("_", " ").title() + ending for name in DATA_SETS]
    assert [name for name in (*names, *titles) if is_of_person(name)] == []


@pytest.mark.parametrize(
    "name",
    ["Augusta, Georgia", "Paris, Texas", "Sales, April.csv", "Red, Rose.csv", "Anna, Maria.csv",
     "Min, Max, Mean", "London, Victoria", "Birmingham, Alabama", "Data, Mark 2.csv", "a, anna"],
)  # fmt: skip
def test_a_comma_alone_makes_no_person(name: str) -> None:
    assert not is_of_person(name)


@pytest.mark.parametrize(
    ("headers", "persons"),
    [
        ("date|Anna Kernweiler|Piotr Nowak|Maria Rossi", (1, 2, 3)),
        ("Anna Kernweiler|Jens Pfotenhauer|Luise Adlerstein", (0, 1, 2)),
        ("task|Kernweiler, Anna|Pfotenhauer, Jens|Total Hours", (1, 2)),
        ("item|Paul Kernweiler|Anna M. Kernweiler", (1, 2)),
        ("Anna Kernweiler|hours", ()),
        ("Anna Kernweiler|Anna Pfotenhauer", ()),
        ("Anna Kernweiler|Jens Pfotenhauer|Net Income|Gross Income|Max Speed", ()),
        ("anna kernweiler|jens pfotenhauer", ()),
    ],
)
def test_headers_are_persons_by_each_other(headers: str, persons: tuple[int, ...]) -> None:
    assert of_persons(headers.split("|")) == frozenset(persons)


@pytest.mark.parametrize(
    "headers",
    """
    Total Amount|Net Amount
    San Marino|South Africa|New York|Costa Rica|Sri Lanka
    Virginia|Georgia|Carolina
    Virginia Beach|Georgia Tech|Victoria Falls
    April|May|June
    Jan Umsatz|Mai Umsatz|Jun Umsatz
    April Revenue|May Revenue|June Revenue
    Iris Setosa|Iris Virginica|Iris Versicolor
    Rosa Canina|Veronica Persica|Viola Tricolor
    Mean Square|Sum Square|F Value
    Alfa Romeo|Mercedes Benz|Mary Kay
    Santa Clara|San Jose|Santa Fe
    Charlotte Hornets|Dallas Mavericks|Orlando Magic|Austin Spurs
    Max Speed|Mark Price|Grace Period
    Grant Amount|Bill Date|Will Call
    Rose Wine|Ruby Port|Olive Oil|Ginger Ale
    Max Drawdown|Max Leverage
    Max Wert|Min Wert
    Jordan River|Hudson River
    """.strip().split("\n"),
)
def test_other_headers_are_not(headers: str) -> None:
    assert of_persons(headers.strip().split("|")) == frozenset()


@pytest.mark.parametrize("cells", [("8", "7.5", "8"), ("yes", "no", "yes")])
def test_a_row_of_persons_is_a_header_and_masked(cells: tuple[str, ...], tmp_path: Path) -> None:
    table = tmp_path / "hours.csv"
    body = [",".join(cells), ",".join(cells[::-1]), ",".join(cells)]
    table.write_text("\n".join(["Anna Kernweiler,Jens Pfotenhauer,Luise Adlerstein", *body, ""]), encoding="utf-8")
    report = json.loads(piiscan("scan", table, "--format", "json", "--quiet", status=1))
    assert [(n["of"], n["column"], n["entity"]) for n in report["in_names"]] == [
        ("column", i, "PERSON") for i in range(3)
    ]
    piiscan("mask", table, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines() == ["column_0,column_1,column_2", *body]


def test_rows_of_persons_are_no_header(tmp_path: Path) -> None:
    table = tmp_path / "games.csv"
    table.write_text(
        "Anna Kernweiler,Jens Pfotenhauer,won\nPaul Vogtmann,Ida Kesselring,lost\n"
        "Luise Adlerstein,Otto Brackmann,won\n",
        encoding="utf-8",
    )
    report = json.loads(piiscan("scan", table, "--format", "json", "--quiet", status=1))
    assert report["in_names"] == [] and report["tables"][0]["rows"] == 3


def test_a_folder_called_after_somebody_in_the_data_breaks_a_promise(tmp_path: Path) -> None:
    """Of names that aren't listed only the tables tell that they are a person's."""
    root = tmp_path / "in"
    (root / "Anna Kernweiler").mkdir(parents=True)
    (root / "Anna Kernweiler" / "hours.csv").write_text("day,hours\n1,8\n2,7\n", encoding="utf-8")
    (root / "people.csv").write_text(
        "first_name,last_name,email\nAnna,Kernweiler,a@corp.org\nPiotr,Nowak,b@corp.org\n", encoding="utf-8"
    )
    said = piiscan("mask", root, "-o", tmp_path / "out", "--key", key_file(tmp_path), status=5)
    assert "no name of a file, table or column is somebody's full name" in said and "rename them" in said
    assert "Kernweiler" not in said
