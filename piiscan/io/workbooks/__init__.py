"""Workbooks (xlsx, xlsm, xlsb, xls, ods): their sheets, and every text beside the cells."""
