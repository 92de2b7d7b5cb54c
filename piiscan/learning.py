"""Models trained with differential privacy, named and used as in scikit-learn.

Each `fit(data, privacy)` reads a frame or a file, charges the ledger, and releases a model that costs
`privacy.epsilon` and `privacy.delta` in total. The possible values of columns are public and declared: `bounds` of
numbers, `categories` of words, `classes` of a target. See docs/private-learning.md.
"""

from __future__ import annotations

from piiscan.dp.privacy import Privacy
from piiscan.dp.run.estimators.kmeans import KMeans
from piiscan.dp.run.estimators.linear import LinearRegression
from piiscan.dp.run.estimators.logistic import LogisticRegression
from piiscan.dp.run.estimators.naive_bayes import GaussianNB
from piiscan.dp.run.estimators.pca import PCA
from piiscan.dp.run.estimators.scaler import StandardScaler

__all__ = ["PCA", "GaussianNB", "KMeans", "LinearRegression", "LogisticRegression", "Privacy", "StandardScaler"]
