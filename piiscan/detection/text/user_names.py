"""User names that a text announces: "user=ann7", "/home/ann7/x", "session opened for user ann7", web servers' lines.

Also those in names of cloud resources ("arn:aws:iam::123456789012:user/ann7") and in commands ("ssh ann7@host").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.signs import Signs
from piiscan.detection.text.labels import LABEL, WORDS
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

RULE: Final = "username"
SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
_ROLE: Final = "username-role"
_TERMINALS: Final = ("pts/", "tty", ":notty")
_ASCII: Final = (
    *"user usr login logon logname acct uid= sudo /home/ benutz nutzer anmeldename utilisateur usuario utente".split(),
    *("gebruiker", "brugernavn", "brukernavn", "account name", "accepted ", "failed "),
    *("ssh-rsa ", "ssh-ed25519", "ecdsa-sha2", "ssh ", "sshd: ", "scp ", "sftp ", "rsync ", "mysql", "psql ", "curl "),
    *("all=", "all =", *_TERMINALS, " joins: ", " parts: ", " quits: ", "-!- "),
)
_OTHERS: Final = tuple("użytkownik användar uživatel kullanıcı логин пользовател 用户 ユーザー 사용자".split())
MAY: Final = f"(?i:{'|'.join((*_ASCII, *_OTHERS))})"
"""What a text has that announces one. Lines of web servers have digits instead."""
_NAME: Final = r"(?P<name>[^\W_][\w.+-]{0,62}\w)(?![\w@$%{(\[\\])"
_DOMAIN: Final = r"(?:[A-Za-z0-9.-]{1,40}\\{1,2})?"
_QUOTE: Final = r"(?P<quote>[\"'`])"
_IN_PATHS: Final = lazy_pattern(
    r"(?:(?:(?<![\w.~%/-])(?<!GET )(?<!PUT )(?<!POST )(?<!HEAD )(?<!PATCH )(?<!DELETE )(?<!OPTIONS )"
    r"|\b(?:file|s?ftp|ssh|scp|rsync|smb|nfs|afp)://[^\s/]{0,80})"
    r"(?:(?:/var|/usr|/export|/mnt)?/home/|/Users/)"
    r"|\b[A-Za-z]:[\\/]{1,4}(?:Users|Documents and Settings)[\\/]{1,4})"
    r"(?P<name>[^\W_][\w.+-]{0,62}\w)(?=(?P<on>[\\/])?)"
)
_IN_PHRASES: Final = lazy_pattern(
    r"(?:\b(?:Accepted|Failed) [a-z/-]{3,40} for (?:(?:invalid|illegal) user )?"
    r"|\b(?:[Ii]nvalid|[Ii]llegal) user |\bsession (?:opened|closed) for user |\b[Ss]ession \w{1,20} of user "
    r"|\bsudo(?:\[\d{1,9}\])?: {1,9}(?=\S+ : (?:TTY=|\d+ incorrect|user NOT|command not))|\bAccount Name:\s{1,9}"
    r"|\b[Uu]ser (?=\S+ (?:has )?(?:logged|signed) (?:in|on|out|off)\b)|\b[Uu]ser " + _QUOTE + r")"
    + _DOMAIN + _NAME + r"(?(quote)(?P=quote))"
)  # fmt: skip
_IN_RESOURCES: Final = lazy_pattern(
    r"\barn:aws[a-z-]{0,16}:iam::\d{12}:user/(?:[\w+=,.@-]{1,64}/){0,4}(?P<name>[^\W_][\w.+-]{0,62}\w)(?![\w/@+=,])"
)
"""As the cloud of Amazon names users."""
_IN_COMMANDS: Final = lazy_pattern(
    r"\b(?:(?:ssh|sftp)(?: +-\S{1,80}(?: +[^\s@-][^\s@]{0,80})?){0,6} +(?P<remote>[^\W_][\w.+-]{0,62}\w)(?=@[\w.-])"
    r"|(?:scp|rsync)(?: +[^\s@]{1,80}){0,8} +(?P<copied>[^\W_][\w.+-]{0,62}\w)(?=@[\w.-]{1,80}:)"
    r"|(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\w{1,16}) AAAA[\w+/]{16,4000}={0,3} {1,4}"
    r"(?P<owner>[^\W_][\w.+-]{0,62}\w)(?=(?:@[\w.-]{1,80})?\s*$)"
    r"|sshd: (?P<session>[^\W_][\w.+-]{0,62}\w)(?= ?(?:@(?:pts/\d|notty)|\[(?:priv|net|pam|accepted)\]))"
    r"|(?:mysql(?:dump|admin)?|psql|curl)(?: +-(?![uU]\b)\S{1,80}(?: +[^\s-]\S{0,80})?){0,6} +-[uU] {0,2}[\"']?"
    r"(?P<login>[^\W_][\w.+-]{0,62}\w)(?![\w@$%{(\[\\]))"
)
_OF_SESSIONS: Final = lazy_pattern(
    r"(?m)^(?P<name>[a-z_][\w.-]{0,30}\w)[ \t]+(?:pts/\d{1,4}|tty[\w/]{1,9}|ssh:notty|:\d{1,2})[ \t]"
)
"""Who is or was logged in at which terminal, as `who` and `last` print it."""
_IN_CHANNELS: Final = lazy_pattern(
    r"(?:\*\*\* (?:Joins|Parts|Quits): |-!- )(?P<name>[^\W\d][\w.|`^-]{1,30})(?= [(\[][^\s()\[\]]{1,80}[)\]])"
)
"""Who comes and goes in a chat, as IRC clients log it."""
_OF_SUDOERS: Final = lazy_pattern(
    r"(?m)^[ \t]*(?P<name>[^\W_][\w.+-]{0,62}\w)[ \t]+[!\w.,* -]{1,200}=[ \t]*\([\w%#+.,: -]{1,200}\)"
)
"""Who may run what as whom: "ann7 ALL=(ALL:ALL) ALL"."""
_OF_WEB_SERVERS: Final = re.compile(
    r"^\S{2,64} \S{1,64} (?P<name>[^\s\[@\"-][^\s\[@\"]{0,63}) \[\d\d/[A-Z][a-z]{2}/\d{4}:", re.MULTILINE
)
_LABELLED: Final = lazy_pattern(
    r"(?<=\w)[\"']?(?P<link> ?(?:=|:|=>) ?|：|\t)" + _QUOTE + "?" + _DOMAIN + _NAME + r"(?(quote)(?P=quote))"
)
_ENDS_LABEL: Final = re.compile(r"[\n;!?|,<>\d\"'({\[&.:=/]")
_HAS_SIGNS: Final = re.compile(r"[^\W\d_](?=.*[\d_]|[^\W\d_]{2,}\.[^\W\d_]{3})\w*[\w.-]*")
"""What words lack: a digit, an underscore, or a dot between words."""
_ENDS: Final = re.compile(r"[ \t]*(?:$|[\r\n,;|)\]}&\"'])")
_IS_FILE: Final = re.compile(
    r"(?i).*\.(?:html?|php\d?|aspx?|jsp|js|css|png|jpe?g|gif|svg|ico|json|xml|txt|md|py|exe|zip|log|csv)"
)
_OF_PROGRAMS: Final = re.compile(
    r"(?i)(?:self|this|req|request|settings|config|conf|os|process|ctx|context|env|args|options|params|session)\..*"
    r"|(?:get|current|my|your|the|db|new|old|auth)_?user.*|[a-z]?(?:user|login)_?(?:name|id)?|systemd-.*"
)
_OF_FOLDERS: Final = ("/home/", "Users", "Documents and")
_OF_RESOURCES: Final = "arn:aws"
_SIGNS: Final = Signs((*_OF_FOLDERS, _OF_RESOURCES))
_LABELS: Final = frozenset("acct ruser logname uid suser duser usr usrname".split())
"""Of system logs: no header of a table says it so."""
_NOBODYS: Final = frozenset(
    """
        root admin admins administrator administrators guest guests nobody daemon system local localhost service network
        www www-data http httpd apache apache2 nginx tomcat mysql mariadb postgres postgresql oracle mongodb redis git
        ubuntu debian centos fedora alpine rocky core pi ec2-user azureuser vagrant docker jenkins runner runneradmin
        travis circleci gitlab-runner buildkite jovyan node app apps web deploy deployer ansible hadoop spark kafka
        airflow elasticsearch test tests testuser tester demo example users user1 me you anonymous anon default public
        shared all everyone any none null nil true false yes no unknown undefined empty string str text int integer
        varchar number object email mail password passwd required invalid missing not optional ftp postfix sshd backup
        bin sys sync operator halt shutdown man lp news uucp proxy list irc games sa dbo sysadmin superuser support info
        office host server client linux windows build builder ci bot cron index main home about contact products search
        page pages site static assets is was has can will may must should the a an and or for of to in on at by with
        from this that agent group role type status count data profile account token key id name svn systemd
        defaultuser0 defaultapppool local_service network_service
    """.split()
)


def user_names(text: str, rules: RuleSet) -> Iterator[Span]:
    """The user names in a text, in the order of their places. Accounts of nobody, such as `root`, are none."""
    return _spans(sorted({*_places(text, rules)}), rules)


def has_paths(text: str) -> bool:
    """Whether a text may have a path of a folder, or a name of a cloud resource, with a user's name in it."""
    return _SIGNS.are_in(text)


def in_paths(text: str, rules: RuleSet) -> Iterator[Span]:
    """The names of users in paths of folders and names of cloud resources, in the order of their places."""
    return _spans(_of_paths(text), rules)


def _spans(places: Iterable[tuple[int, int]], rules: RuleSet) -> Iterator[Span]:
    rule, last = rules.by_id.get(RULE), 0
    for start, end in places:
        if rule is not None and start >= last:
            yield Span(start, end, rule.entity, rule.subtype, rule.id, SCORE)
            last = end


def _places(text: str, rules: RuleSet) -> Iterator[tuple[int, int]]:
    if "/20" in text or "/19" in text:
        yield from _somebodys(_OF_WEB_SERVERS, text)
    low = text.lower()
    if not any(word in low for word in _ASCII) and (low.isascii() or not any(word in low for word in _OTHERS)):
        return
    yield from _of_paths(text)
    for found in _IN_COMMANDS.finditer(text):
        if (which := found.lastgroup) is not None and _is_somebodys(found[which]):
            yield found.span(which)
    yield from _somebodys(_IN_PHRASES, text)
    if "*** " in text or "-!- " in text:
        yield from _somebodys(_IN_CHANNELS, text)
    if any(sign in text for sign in _TERMINALS):
        yield from _somebodys(_OF_SESSIONS, text)
    if "ALL" in text:
        yield from _somebodys(_OF_SUDOERS, text)
    for found in _LABELLED.finditer(text):
        if _is_somebodys(found["name"]) and _announces(text, found, rules):
            yield found.span("name")


def _somebodys(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (found.span("name") for found in pattern.finditer(text) if _is_somebodys(found["name"]))


def _of_paths(text: str) -> Iterator[tuple[int, int]]:
    if any(sign in text for sign in _OF_FOLDERS):
        for found in _IN_PATHS.finditer(text):
            if _is_somebodys(found["name"]) and (found["on"] or not _IS_FILE.fullmatch(found["name"])):
                yield found.span("name")
    if _OF_RESOURCES in text:
        yield from _somebodys(_IN_RESOURCES, text)


def _is_somebodys(name: str) -> bool:
    return name.lower() not in _NOBODYS and not name.isdigit() and not _OF_PROGRAMS.fullmatch(name)


def _announces(text: str, found: re.Match[str], rules: RuleSet) -> bool:
    """Whether the words before a value say that it is a user name, and it looks like one where they say little."""
    login, role = _label(rules, _ENDS_LABEL.split(text[max(0, found.start() - LABEL) : found.start()])[-1])
    if not (login or role):
        return False
    if found["quote"] or found["link"] == "=":
        return True
    if _HAS_SIGNS.fullmatch(found["name"]):
        return True
    return login and "=" not in found["link"] and found["name"].islower() and _ENDS.match(text, found.end()) is not None


@of_words(1 << 14)
def _label(rules: RuleSet, label: str) -> tuple[bool, bool]:
    """Whether the last words of a label name a login, and whether they name who acts."""
    words = WORDS.findall(label.replace("_", " "))[-3:]
    if words and words[-1].lower() in _LABELS:
        return True, True
    named = [rules.named(" ".join(words[-n:])) for n in range(1, len(words) + 1)]
    vetoed = len(named) > 1 and not named[0] <= named[1]  # "last login"
    return not vetoed and any(RULE in some for some in named), not vetoed and any(_ROLE in some for some in named[:1])
