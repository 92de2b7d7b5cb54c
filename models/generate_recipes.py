"""What tables are made of: which subjects, which columns stand together, what such files are called.

A recipe line: name | subject of a row | what the main role is about | domains of the other columns | how many of those
| files | columns.
A column: `role:kind?share`; without a role it is about the row's main subject, without a share it is always there.
`names`, `address` and `geo` stand for the usual ways to split those.
"""

from __future__ import annotations

from dataclasses import dataclass

RECIPES = """
customers | person | person customer | retail generic finance | 1 7 | customers,clients,kunden,customer_master,kna1,clientes,klienci,Kundenliste,crm_export | pid names gender?.35 birth?.3 email?.75 phone?.65 mobile?.15 address?.75 employer?.12 note?.08 income?.06 generic_id?.1 marital?.05 language?.06
crm_leads | person | person contact | retail web generic | 1 7 | leads,contacts,crm_leads,hubspot_contacts,ansprechpartner,prospects | pid?.7 names email phone?.7 mobile?.2 occupation?.6 employer?.8 city?.4 region?.3 country?.5 url@org?.3 person_url?.3 owner:full_name?.3 note?.35 generic_id?.3
employees | person | person employee | hr generic | 2 9 | employees,staff,mitarbeiter,hr_master,pa0002,personnel,pracownicy,empleados,org_chart | pid names email?.5 phone?.3 gender?.4 birth?.35 age?.15 occupation?.75 income?.5 manager_id?.2 manager:full_name?.1 city?.25 country?.15 marital?.15 education?.2 nationality?.1 national?.1 iban?.08 school?.1
payroll | person | person employee | hr finance | 2 8 | payroll,salaries,lohnabrechnung,nomina,wages_2023,buste_paga | pid names?.8 occupation?.6 income income?.4 iban?.4 account?.15 national?.25 ssn?.15 birth?.15 employer?.15 generic_id?.1
city_salaries | person | person employee | hr gov | 1 6 | city_salaries,public_employees,state_payroll | full_name occupation income employer?.3 income?.3 gender?.1
attrition | person | person employee | hr | 8 22 | hr_attrition,employee_survey_results,turnover,WA_Fn-UseC_HR | age gender?.9 marital?.8 education?.9 school?.05 occupation?.8 income?.8 pid?.7
patients | person | person patient | medical generic | 2 8 | patients,pacjenci,patienten,patient_list,demographics,pazienti | mrn names birth gender?.8 phone?.4 email?.2 address?.5 diagnosis?.5 icd?.2 blood?.25 national?.2 ssn?.08 doctor:full_name?.3 org_name@org?.1 note?.2 ethnicity?.2 language?.15 marital?.2 religion?.08
visits | event | person patient | medical generic | 3 9 | visits,encounters,admissions,appointments,er_visits,fallliste | generic_id mrn?.8 full_name?.35 age?.3 gender?.3 diagnosis?.6 icd?.35 doctor:full_name?.45 note?.3 org_name@org?.2 doctor:pid?.2
lab | person | person patient | medical | 1 5 | lab_results,labs,blood_tests,laborwerte,study_data,heart,diabetes | mrn?.5 pid?.4 age?.7 gender?.7 lab lab lab lab?.8 lab?.8 lab?.7 lab?.6 lab?.5 healthflag?.5 healthflag?.5 healthflag?.3 healthcode?.3 ethnicity?.15
screening | person | person patient | medical survey | 1 6 | health_survey,stroke,brfss_sample,clinical_trial,framingham,cohort | pid?.6 age gender ethnicity?.3 education?.3 marital?.25 income_band?.2 healthflag healthflag healthflag?.7 healthflag?.6 lab?.8 lab?.6 lab?.4 healthcode?.3 occupation?.2
clinical_notes | person | person patient | medical | 0 4 | clinical_notes,notes,discharge_summaries,arztbriefe | mrn full_name?.4 doctor:full_name?.4 note birth?.3 age?.3 gender?.3
students | person | person student | edu generic | 2 9 | students,schueler,alunni,studenten,class_list,grades,estudiantes | pid names?.85 gender?.5 birth?.4 age?.2 email?.45 school?.3 education?.1 parent:full_name?.2 parent:phone?.2 phone?.2 address?.3 nationality?.1 ethnicity?.08 parent:occupation?.08
student_scores | person | person student | edu survey | 6 16 | student-mat,exam_scores,StudentsPerformance,placement | gender age?.6 ethnicity?.3 parent:education?.6 parent:occupation?.3 pid?.3 school?.3 education?.3
passengers | person | person passenger | transport generic | 2 7 | passengers,manifest,titanic,pnr,fluggaeste,passenger_list | pid?.7 names gender?.6 age?.4 birth?.3 passport?.5 nationality?.4 phone?.2 email?.25 generic_id?.6 country?.2 birthplace?.1
donors | person | person donor | finance generic | 2 6 | donors,donations,contributions,spenden,fundraising | pid?.5 names address?.6 email?.4 phone?.3 employer?.4 occupation?.4 iban?.12 note?.1 org_name@org?.3
voters | person | person voter | gov generic | 1 6 | voters,electoral_roll,voter_file,wyborcy,electores | pid names birth?.6 birth_year?.2 age?.2 gender?.5 address?.7 party?.4 ethnicity?.15 phone?.2 county?.3 national?.15 father:full_name?.15
members | person | person member | generic retail | 1 5 | members,mitglieder,membership,soci,adherents,newsletter | pid names email?.8 phone?.5 address?.5 birth?.4 gender?.3 iban?.15 note?.1 language?.1 marital?.08
orders | event | person customer | retail | 3 9 | orders,bestellungen,sales,commandes,pedidos,zamowienia,order_items,shopify_export | generic_id pid?.4 names?.55 email?.45 phone?.25 address?.4 generic_id?.3 seller:full_name?.12 ip?.08 note?.12 card?.06
invoices | event | org customer | finance retail | 3 8 | invoices,rechnungen,factures,faktury,ap_open_items,bseg | generic_id org_name org_id?.4 country?.3 city?.2 contact:full_name?.2 contact:email?.15 iban@org?.2 clerk:username?.15
bank | event | person customer | finance | 3 8 | transactions,umsaetze,bank_statement,movimenti,extrato,payments | generic_id?.6 account?.5 iban?.5 swift?.25 full_name?.4 pid?.3 org_name@org?.4 note?.1 card?.12 org_typed?.2
accounts | person | person customer | finance | 3 9 | accounts,loan_applicants,bank_customers,churn,credit_profile,konten | pid?.8 names?.6 age?.5 gender?.5 marital?.4 education?.3 occupation?.4 income?.6 account?.3 iban?.2 country?.2 ssn?.12 national?.12 phone?.2 email?.2 employer?.15
credit_scoring | person | person applicant | finance | 6 16 | credit_scoring,loan_train,german_credit,UCI_Credit_Card,application_record | pid?.5 age gender?.7 marital?.7 education?.6 income?.7 income_band?.15 occupation?.5 nationality?.1 postal?.1 region?.15
insurance | person | person policyholder | finance medical | 2 8 | insurance,policies,claims,versicherte,polizze | generic_id pid?.4 names?.5 age?.4 birth?.2 gender?.5 plate?.25 lab=bmi?.2 healthflag?.25 region?.4 postal?.2 income?.15 occupation?.15 city?.1
cards | person | person cardholder | finance | 1 5 | cards,credit_cards,card_tokens,payment_methods,kreditkarten | pid?.4 full_name?.8 card cvv?.6 iban?.1 address?.3 email?.3 phone?.15
identity | person | person person | generic | 0 4 | kyc,identity_documents,id_check,pii_sample,ausweise,documenti,sample_data,test_data | pid?.4 names?.9 birth?.7 national ssn?.3 passport?.5 licence?.4 nationality?.4 birthplace?.3 gender?.4 address?.4 phone?.4 email?.4 card?.2 iban?.2 plate?.1 ip?.1 password?.1 secret?.05 religion?.06 ethnicity?.1 sexuality?.05
licences | person | person driver | transport | 0 4 | driver_licenses,drivers,fahrer,kierowcy,fleet_drivers | licence names?.7 birth?.4 state_code?.4 plate?.4 phone?.3 pid?.3
app_users | person | person user | web generic | 3 9 | users,accounts_user,auth_user,wp_users,benutzer,members_db | pid username?.85 email?.85 password?.5 names?.5 ip?.3 phone?.2 country?.3 language?.25 person_url?.3 gender?.15 age?.12 secret?.15 device?.1 city?.15 note?.15
logins | event | person user | web | 2 7 | access_log,logins,audit_log,auth_events,vpn_sessions,bank_logins,web_log | generic_id?.3 username?.7 ip mac?.12 device?.2 country?.25 city?.2 url?.35 pid?.3 url?.2
weblog | event | person visitor | web | 4 9 | access,nginx,web_analytics,pageviews,clickstream,ga_export,honeypot | ip?.65 generic_id?.5 country?.5 city?.3 region?.25 url?.7 pid?.25 device?.1 geo?.2 postal?.1 language?.2
devices | thing | person owner | web iot | 2 7 | devices,mdm_inventory,it_assets,handsets,sim_cards,dhcp | device?.7 mac?.6 ip?.6 generic_id?.7 owner:full_name?.4 owner:username?.4 phone?.25 device?.25 secret?.06 pid?.15
servers | thing | org operator | web iot | 3 8 | servers,hosts,network,inventory,switches,firewall_rules | generic_id ip?.8 mac?.4 url?.4 country?.2 city?.2 secret?.08
api_keys | thing | org client | web generic | 1 5 | api_keys,tokens,config,secrets,integrations,env | generic_id?.7 org_name?.5 secret url?.4 owner:email?.4 owner:username?.2
survey | person | person respondent | survey | 5 16 | survey,responses,umfrage,encuesta,questionnaire,feedback_2023,poll | pid?.7 age?.5 age_band?.4 gender?.8 education?.5 occupation?.4 income_band?.3 income?.15 marital?.3 ethnicity?.2 religion?.15 sexuality?.12 country?.3 region?.3 postal?.15 email?.15 note?.45 nationality?.15 party?.15 language?.1
tickets | event | person customer | web generic retail | 2 6 | tickets,support_cases,helpdesk,zendesk_export,complaints,incidents,zgloszenia | generic_id full_name?.5 email?.55 phone?.25 note note?.2 agent:full_name?.35 agent:email?.1 pid?.3 username?.15
reviews | event | person reviewer | retail web | 2 6 | reviews,product_reviews,bewertungen,app_reviews,hotel_reviews | generic_id?.6 username?.5 full_name?.25 note city?.15 country?.2 pid?.2 url?.15
tweets | event | person author | web | 3 8 | tweets,posts,comments,messages,sms,chat_export | generic_id?.7 username?.8 full_name?.3 note city?.25 url?.3 language?.3 pid?.2
real_estate | thing | place property | realestate | 5 12 | listings,immobilien,houses,apartments,kc_house_data,annunci,mieszkania | generic_id?.7 address?.8 geo?.6 county?.3 owner:full_name?.15 agent:full_name?.2 agent:phone?.2 agent:email?.15 url?.2 org_name?.2
airbnb | thing | place listing | realestate | 4 9 | airbnb,listings_summary,rooms,hosts | generic_id host:pid host:first?.7 county?.8 city?.4 geo country?.3 host:url?.1
shops | place | place shop | retail generic | 1 6 | stores,filialen,branches,shops,negozi,sucursales,points_of_sale,store_locator | generic_id?.8 org_name address phone?.7 email?.4 url?.5 geo?.5 manager:full_name?.2
hospitals | place | place hospital | medical gov | 1 6 | hospitals,clinics,pharmacies,krankenhaeuser,ospedali,facilities,providers_org | generic_id?.8 org_name address phone?.8 fax?.3 email?.25 url?.4 geo?.5 county?.3 contact:full_name?.1
schools | place | place school | edu gov | 2 8 | schools,schulen,scuole,school_directory,kindergartens | generic_id?.8 school address phone?.6 email?.3 url?.4 geo?.4 county?.3 principal:full_name?.25
hotels | place | place hotel | realestate retail | 2 7 | hotels,restaurants,attractions,museums,venues,zomato | generic_id?.6 org_name city address?.4 geo?.6 phone?.35 url?.4 country?.3
stations | place | place station | iot gov transport | 1 6 | stations,stops,weather_stations,bahnhoefe,charging_points,bike_stations,parks | generic_id place_name city?.4 region?.4 country?.3 geo street?.2 postal?.15
companies | organization | org company | finance generic | 2 7 | companies,firmen,vendors,suppliers,lieferanten,lfa1,register,startups,spolki,fortune | generic_id?.5 org_name org_id?.6 address?.6 phone?.5 email?.35 url?.5 country?.4 iban?.15 swift?.12 ceo:full_name?.2 contact:full_name?.2 contact:email?.12 region?.2
banks | organization | org bank | finance | 0 4 | banks,blz,bank_codes,bic_list,institutes | generic_id?.6 org_name swift?.8 city?.7 postal?.4 street?.3 url?.2 phone?.2 country?.4
suppliers_contacts | organization | org supplier | retail | 1 4 | supplier_contacts,accounts_salesforce,partners | generic_id org_name contact:names contact:email?.7 contact:phone?.6 contact:occupation?.5 city?.5 country?.5 url?.2
products | thing | org maker | retail | 5 11 | products,artikel,produkte,catalog,items,mara,stock,produits,prodotti | generic_id generic_id?.3 org_name?.4 country?.12 url?.25 org_typed?.35
menu | thing | org brand | retail science | 3 9 | menu,foods,nutrition,cars_list,phones,laptops,wines | org_name?.4 country?.25 region?.15 generic_id?.2 taster:full_name?.1 org_typed?.5
codes | thing | org source | generic | 1 4 | codes,lookup,status_codes,dim_type,colors,units,currencies,units_ref | generic_id?.7 org_typed?.15
weather | event | place station | iot | 5 11 | weather,wetter,climate_daily,meteo,observations,seattle-weather | place_name?.3 generic_id?.3 geo?.2 city?.2
sensors | event | thing sensor | iot | 4 10 | sensor_data,readings,telemetry,messwerte,iot_log,accelerometer,energy | generic_id?.6 geo?.12 device@thing?.05
experiment | thing | thing sample | science | 4 14 | iris,experiment,samples,features,wine,abalone,train,test,matrix,results_v2 | generic_id?.4
matrix | thing | thing sample | science generic | 6 30 | X_train,data,features,wdbc,output,export | generic_id?.3
earthquakes | event | place epicentre | science iot | 3 8 | earthquakes,quakes,volcanoes,landslides,fires,meteorites | generic_id?.5 geo place_name?.5 country?.5 region?.3 url?.15
countries | aggregate | country country | gov | 4 10 | countries,world_bank,countries_by_year,laender,owid,who_data,gapminder,paises | country country_code?.6 region?.4 geo?.15 language?.1 city?.12 group_age?.06
census | aggregate | group area | gov | 4 10 | census,regions_stats,statistik,population,unemployment,istat,bevoelkerung,gus | region?.7 county?.5 group_age?.6 group_gender?.6 generic_id?.4 group_ethnicity?.2 group_education?.2 group_marital?.1 group_income?.2 postal?.1 country?.2 group_nationality?.1 org_typed?.15
health_stats | aggregate | group area | gov medical | 3 8 | covid,cases_by_age,vaccinations,mortality,cause_of_death,hospital_stats | region?.7 country?.4 group_age?.6 group_gender?.5 group_health?.5 group_ethnicity?.15 org_name@org?.15
jobs_stats | aggregate | group area | gov hr | 3 8 | wages_by_occupation,job_outlook,majors,college_majors,pay_gap | group_occupation group_income?.7 group_education?.5 group_gender?.3 group_age?.15 region?.3 generic_id?.3
name_stats | aggregate | group name | gov | 1 4 | baby_names,first_names,surnames,vornamen,popular_names,imiona | list_first list_gender?.7 region?.15
municipalities | place | place municipality | gov | 3 9 | municipalities,gemeinden,comuni,cities,postal_codes,plz,worldcities,communes | generic_id?.7 city region?.7 county?.3 country?.3 postal?.6 geo?.6 country_code?.25 url?.1 mayor:full_name?.08
elections | event | person candidate | gov | 3 8 | elections,results,kandidaten,candidates,wyniki_wyborow,constituencies | region full_name party?.9 gender?.3 age?.15 generic_id?.2 occupation?.1 county?.3 org_typed?.2
politicians | person | person politician | gov generic | 1 6 | senators,mps,members_of_parliament,ministers,abgeordnete,deputati,cabinet | full_name party?.8 region?.5 occupation?.5 birth?.3 birthplace?.2 gender?.4 email?.3 phone?.3 person_url?.4 education?.2 income?.1 pid?.3
players | person | person player | sport | 5 14 | players,football_players,squad,nba_stats,fifa,spieler,roster,calciatori,pitching | pid?.4 full_name?.8 team?.8 nationality?.5 age?.5 birth?.25 birthplace?.15 school?.1 income?.12 country?.15
matches | event | org team | sport | 5 12 | matches,results,fixtures,games,spielplan,partite,premier_league,ipl | team team city?.3 referee:full_name?.35 org_name@org?.15 country?.15 generic_id?.4 org_typed?.4
races | event | person runner | sport | 3 8 | results_10k,marathon,race_results,ergebnisse,startliste,mtb_race | names?.95 gender?.5 birth_year?.35 age_band?.4 team?.5 country?.3 city?.4 nationality?.15
athletes | person | person athlete | sport | 2 7 | athletes,olympics,medallists,boxers,runners,chess_players,tennis | pid?.4 full_name gender?.7 birth?.5 age?.2 nationality?.8 country?.2 birthplace?.2 person_url?.2
publications | thing | person author | science generic | 2 6 | publications,papers,articles,bibliography,books,scopus,literatur | people_lists?.7 full_name?.35 url?.5 generic_id?.6 org_name@org?.4 school?.2 email?.1
films | thing | person director | generic science | 3 8 | movies,films,imdb,netflix_titles,songs,albums,games_sales,books_amazon | full_name?.6 people_lists?.3 country?.4 language?.3 org_name@org?.4 url?.3 generic_id?.3 org_typed?.5
characters | thing | thing character | generic | 2 7 | characters,superheroes,simpsons,pokemon,avengers_comics | full_name@fiction?.7 gender@fiction?.6 age@fiction?.2 url?.3 generic_id?.3 occupation@fiction?.2 nationality@fiction?.15 team@fiction?.2
vehicles | thing | person owner | transport | 3 9 | vehicles,fahrzeuge,cars,fleet,used_cars,registrations,pojazdy,carros | generic_id?.4 plate?.6 vin?.5 full_name?.35 phone?.12 city?.2 region?.2 org_name@org?.25 org_typed?.5
parking | event | person driver | transport gov | 2 6 | parking_tickets,tolls,traffic_fines,crashes,accidents,verstoesse | generic_id plate?.8 vin?.1 geo?.3 street?.4 city?.2 age?.15 gender?.12 state_code?.3 licence?.12 full_name?.15
flights | event | org airline | transport | 5 12 | flights,delays,departures,fluege,schedules,bts_ontime,routes | org_name?.4 generic_id?.4 city?.25 country?.12 org_typed?.3
rides | event | person rider | transport | 3 8 | trips,rides,bike_trips,uber,taxi,fahrten,gps_track | generic_id pid?.5 geo?.6 gender?.3 birth_year?.25 address?.2 driver:full_name?.2 place_name?.3
crime | event | person victim | gov generic | 2 6 | crimes,incidents_police,police_killings,arrests,court_cases,sentences | generic_id full_name?.4 age?.6 gender?.6 ethnicity?.5 street?.5 city?.5 region?.4 geo?.4 note?.3 officer:full_name?.15 org_name@org?.3
dating | person | person user | survey web | 3 8 | dating_profiles,matches_export,okcupid,profiles | age gender sexuality?.8 religion?.5 ethnicity?.5 education?.5 occupation?.5 income?.25 city?.6 note?.5 username?.4 language?.3 first?.3 marital?.3
parish | person | person parishioner | generic gov | 1 4 | church_register,parish,taufregister,cemetery,genealogy,ancestors | names birth?.8 birthplace?.5 religion?.7 father:full_name?.4 mother:full_name?.4 maiden?.3 marital?.4 occupation?.4 gender?.3 city?.3
migrants | person | person applicant | gov generic | 1 5 | visa_applications,permits,asylum,residence_permits,h1b | pid?.5 names?.7 nationality birthplace?.5 passport?.4 religion?.25 ethnicity?.25 language?.4 birth?.5 gender?.5 employer?.25 occupation?.3 income?.15 education?.2 marital?.3
hires | person | person candidate | hr generic | 1 6 | applicants,candidates,bewerber,recruiting,resumes,rekrutacja | pid?.6 names email?.8 phone?.7 occupation?.6 education?.5 school?.4 person_url?.35 employer?.35 income?.2 city?.3 note?.35 gender?.2 ethnicity?.1 language?.2
people_list | person | person person | generic | 0 2 | list,names,people,teilnehmer,export,export_3,Tabelle1,Sheet1,lista | names email?.3 phone?.3 city?.2 pid?.3 birth?.2
single | person | person person | generic | 0 1 | data,values,column,dump,test,sample | one
household | person | person resident | survey gov | 1 6 | households,tenants,mieter,residents,condominio,neighbours | pid?.4 names address phone?.4 email?.3 birth?.25 house_number?.2 income?.15 note?.15 age?.15
doctors | person | person doctor | medical generic | 1 5 | physicians,doctors,aerzte,providers,npi,medici | pid?.8 names occupation?.8 org_name@org?.5 address?.6 phone?.5 gender?.3 url@org?.2 education?.25 email?.3
genealogy_dna | person | person donor | science medical | 2 6 | biobank,dna_samples,blood_donors,krwiodawcy,donors_blood | mrn?.5 pid?.5 blood age?.5 gender?.6 ethnicity?.4 healthflag?.4 lab?.5 phone?.2 names?.4
prisoners | person | person inmate | gov | 2 6 | inmates,prison,commutations,jail_roster,detainees | pid names age?.5 birth?.4 ethnicity?.5 gender?.6 county?.3 national?.2 note?.2 religion?.1
budget | aggregate | group department | finance gov | 4 10 | budget,haushalt,bilancio,spending,gl_balances,cost_centers,presupuesto | org_name@org?.3 generic_id?.5 org_typed?.4
contracts | event | org contractor | finance gov | 3 8 | contracts,tenders,grants,procurement,licences_business,permits_building | generic_id org_name org_id?.3 address?.4 contact:full_name?.2 geo?.2 city?.2 employee:full_name?.1 org_typed?.4
facilities_log | event | thing machine | iot generic | 3 9 | maintenance,machines,production,lots,quality,shipments,deliveries | generic_id generic_id?.5 operator:full_name?.15 operator:pid?.12 note=remark?.15 org_name@org?.2
dbt | thing | org account | generic finance | 4 14 | stg_accounts,dim_region,fct_orders,raw_export,opportunity,subscriptions | generic_id generic_id?.5 owner:pid?.3 org_name?.4 url?.2 country?.3 city?.2 postal?.15 street?.15
"""

WEIGHTS = {
    "customers": 3,
    "crm_leads": 1.5,
    "employees": 2.2,
    "patients": 1.8,
    "students": 1.2,
    "orders": 2.2,
    "products": 2.5,
    "companies": 2,
    "countries": 2,
    "census": 2,
    "experiment": 2.5,
    "matrix": 2,
    "weather": 1.6,
    "sensors": 2,
    "matches": 2,
    "players": 1.6,
    "credit_scoring": 1.3,
    "attrition": 1,
    "survey": 1.6,
    "flights": 1.6,
    "codes": 1.8,
    "shops": 1.3,
    "hospitals": 1,
    "municipalities": 1.8,
    "stations": 1.2,
    "real_estate": 1.3,
    "dbt": 2,
    "budget": 1.5,
    "facilities_log": 1.6,
    "films": 1.5,
    "identity": 2.6,
    "cards": 1.6,
    "logins": 1.6,
    "api_keys": 1.8,
    "devices": 1.8,
    "servers": 1.4,
    "parking": 1.3,
    "licences": 1.3,
    "migrants": 1.5,
    "dating": 1.8,
    "app_users": 2,
    "bank": 2,
    "parish": 1.3,
    "accounts": 1.4,
    "lab": 2.2,
    "screening": 2,
    "visits": 1.6,
    "clinical_notes": 1.2,
    "payroll": 1.4,
    "donors": 1.2,
    "banks": 1.5,
    "people_list": 1,
    "single": 1.2,
    "menu": 1.2,
    "weblog": 1.3,
    "health_stats": 1.2,
    "contracts": 1.2,
    "characters": 0.5,
}
"""How often a recipe is taken; 1 where it isn't named."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a recipe may have. `header` overrides the concept by which it is named."""

    role: str | None
    kind: str
    about: str | None
    header: str | None
    share: float


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    subject: str
    about: str
    role: str
    domains: tuple[str, ...]
    fewest: int
    most: int
    files: tuple[str, ...]
    columns: tuple[Column, ...]


def _column(text: str) -> Column:
    text, _, share = text.partition("?")
    role, _, kind = text.rpartition(":")
    kind, _, header = kind.partition("=")
    kind, _, about = kind.partition("@")
    return Column(role or None, kind, about or None, header or None, float(share) if share else 1.0)


def _recipe(line: str) -> Recipe:
    name, subject, about, domains, counts, files, columns = (p.strip() for p in line.split("|"))
    kind, _, role = about.partition(" ")
    fewest, most = map(int, counts.split())
    return Recipe(
        name,
        subject,
        kind,
        role,
        tuple(domains.split()),
        fewest,
        most,
        tuple(files.split(",")),
        tuple(map(_column, columns.split())),
    )


BOOK = tuple(_recipe(line) for line in RECIPES.strip().splitlines())
