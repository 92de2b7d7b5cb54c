"""Words in the names of organisations and things, rarely in those of persons. All folded."""

from __future__ import annotations

from typing import Final

ORG_WORDS: Final = frozenset(
    """
    inc incorporated llc llp ltd limited corp corporation co company companies gmbh ag kg ug ohg mbh sa sas sarl sprl
    bv nv srl spa snc plc pty pvt oy oyj ab as asa aps kft zrt doo sro zoo sp ltda cia group holding holdings partners
    associates enterprises industries international solutions systems services service technologies technology tech
    consulting capital bank banque banco banca university universidad universita universitat college school schools
    academy institute institution hospital clinic medical center centre centro foundation association society council
    committee department dept ministry agency authority bureau commission office church museum library club team fc
    united city county state national federal government party trust fund insurance airlines airways motors records
    pictures studios entertainment media press publishing restaurant hotel cafe store shop market stores supermarket
    pharmacy law firm the of and union league federation laboratory laboratories labs research networks network
    software energy oil gas power electric foods products brands farm farms firma firmy firmen gesellschaft werke
    handels verlag verein stiftung hochschule krankenhaus klinik gymnasium grundschule gemeinde stadtwerke sparkasse
    apotheke buchhandlung autohaus hausverwaltung societe entreprise entreprises etablissements ets eurl ecole lycee
    universite hopital mairie ministere librairie boulangerie pharmacie cabinet syndicat empresa empresas compania
    sociedad escuela colegio instituto fundacion asociacion cooperativa ayuntamiento farmacia ministerio consultorio
    sociedade companhia escola faculdade universidade fundacao associacao prefeitura secretaria comercio industria
    azienda societa scuola liceo ospedale fondazione associazione comune bedrijf stichting vereniging gemeente
    ziekenhuis basisschool handelsonderneming maatschap spolka przedsiebiorstwo zaklad zaklady fundacja stowarzyszenie
    szkola szpital urzad hurtownia sklep spolecnost skola nemocnice urad podnik spol ooo podjetje drustvo skupina
    foretag foretaget aktiebolag stiftelse forening kommun kommune skole sygehus virksomhed yhtio saatio yliopisto
    sirketi okulu universitesi belediyesi hastanesi ticaret sanayi vakfi dernegi bhd sdn koperasi yayasan dinas sekolah
    puskesmas perusahaan vallalat kozpont egyesulet alapitvany iskola korhaz societatea scoala spitalul primaria
    asociatia ооо зао оао пао тов тоо фирма компания завод фабрика школа университет институт больница магазин общество
    фонд предприятие холдинг агентство центр группа фірма компанія підприємство лікарня εταιρεια ανωνυμη σχολειο
    domaine domaines weingut bodega bodegas cantina quinta vignobles vignoble scea earl gaec fils freres sohne sons
    bros brothers hijos hermanos figli fratelli filhos irmaos zonen synowie jdoo obrt tvornica zadruga udruga tovarna
    zavod ustanova opcina
    kliniek clinique clinica klinika gasthuis hospitaal spital nemocnica sjukhus sykehus sairaala haigla ligonine
    slimnica bolnica hastane poliklinik polyclinic клиника поликлиника νοσοκομειο lecznica przychodnia ambulatorium
    schule kindergarten kita koulu okul przedszkole liceum lyceum гимназия лицеи kirche kirke kyrka kirkko eglise
    iglesia igreja kosciol parafia templom biserica церковь mosque camii apteka lekarna apotek apteekki eczane
    gyogyszertar аптека backerei bakery panaderia panificio piekarnia pekarna metzgerei fleischerei brauerei brewery
    brasserie gasthaus gasthof pizzeria trattoria ristorante restauracja etterem pflegeheim seniorenheim altenheim
    feuerwehr biblioteca bibliotheek bibliothek bibliotheque biblioteka knihovna kirjasto museo musee muzeum galerie
    gallery galeria theater theatre teatro hostel pensjonat apartments residence
    lise lisesi ilkokulu ortaokulu anaokulu ceip ies emef emei emeief cmei istituto liceul colegiul gimnaziu camping
    campingplatz campsite kemping
""".split()
)
