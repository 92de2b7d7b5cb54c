"""Whether a column holds names of machines, which look like logins and belong to no person."""

from __future__ import annotations

from typing import Final

from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.scanning.classify.candidates import ColumnCandidates

MOST: Final = 0.5
"""Share of cells that begin with a machine's task from which a column is one of machines."""
HEADERS: Final = frozenset(
    "host hosts hostname hostnames server servers machine machines node nodes instance instances vm computer "
    "workstation appliance pod backend upstream worker agent serveur servidor rechner maskin".split()
)
TASKS: Final = frozenset(
    """srv server web www app apps api db dbs sql mysql pg postgres oracle mongo redis cache memcached mq kafka rabbit
    queue mail mx smtp imap ns dns ntp dhcp ldap ad dc vpn proxy lb haproxy nginx gw gateway fw firewall sw switch
    router rt ap wifi node worker master slave primary replica host vm esx esxi kvm hyperv docker k kube pod ip ec
    prod prd stg stage staging dev test tst qa uat demo lab ci jenkins build builder runner git gitlab repo nas san
    storage stor file fs ftp sftp backup bkp bak log logs elk es elastic kibana grafana prometheus monitor mon nagios
    zabbix bastion jump jumphost edge cdn origin front frontend back backend batch cron print printer erp crm sap hpc
    gpu compute cluster rack blade localhost desktop laptop pc wks ws win linux ubuntu debian centos rhel""".split()
)
_FIRST_WORD: Final = lazy_pattern(r"[A-Za-z]+")


def are(column: ColumnCandidates) -> bool:
    """Whether the header says that machines are named, and most values begin with a machine's task: `web-02`."""
    if HEADERS.isdisjoint(tokens(column.header or "")):
        return False
    first = (_FIRST_WORD.match(text) for text in column.profile.texts)
    return column.profile.share([found is not None and found[0].lower() in TASKS for found in first]) > MOST
