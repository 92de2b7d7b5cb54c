"""E-mail providers at which anybody may have a mailbox."""

from __future__ import annotations

import re
from typing import Final

_ANYWHERE: Final = "yahoo hotmail outlook live msn gmx yandex proton protonmail zoho tutanota".split()
"""Providers with names below many countries' top-level domains."""
_PROVIDERS: Final = """
gmail.com googlemail.com ymail.com rocketmail.com me.com mac.com aol.com aim.com mail.com fastmail.com hey.com
icloud.com pm.me tutanota.de tuta.io tuta.com mail.ru inbox.ru list.ru bk.ru rambler.ru ya.ru ukr.net i.ua qq.com
foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com naver.com hanmail.net daum.net web.de freenet.de
t-online.de arcor.de posteo.de mailbox.org bluewin.ch aon.at libero.it virgilio.it alice.it tin.it tiscali.it
orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr skynet.be telenet.be ziggo.nl kpnmail.nl hetnet.nl
planet.nl btinternet.com sky.com virginmedia.com ntlworld.com talktalk.net comcast.net verizon.net att.net
sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com rogers.com shaw.ca sympatico.ca bigpond.com
optusnet.com.au xtra.co.nz wp.pl o2.pl onet.pl op.pl interia.pl interia.eu poczta.fm seznam.cz centrum.cz email.cz
post.cz azet.sk centrum.sk freemail.hu citromail.hu indamail.hu abv.bg mail.bg inbox.lv online.no telia.com
spray.se bredband.net uol.com.br bol.com.br terra.com.br ig.com.br globo.com sapo.pt telefonica.net terra.es
rediffmail.com walla.co.il walla.com mynet.com yandex.com.tr docomo.ne.jp ezweb.ne.jp softbank.ne.jp
""".split()
DOMAINS: Final = rf"^(?:(?:{'|'.join(_ANYWHERE)})\.(?:com?\.)?[a-z]{{2,3}}|{'|'.join(map(re.escape, _PROVIDERS))})$"
"""A regular expression for their domains, in small letters."""
