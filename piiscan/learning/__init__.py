"""Models that are learned with differential privacy, named and used as in scikit-learn.

Each `fit(data, privacy)` reads a frame or a file, charges the ledger, and releases a model that costs `privacy.epsilon` and `privacy.delta` in all.
What columns can hold is public and declared: `bounds` of numbers, `categories` of words, `classes` of a target. See docs/private-learning.md.
"""

from __future__ import annotations

from piiscan.learning.kmeans import KMeans
from piiscan.learning.linear import LinearRegression
from piiscan.learning.logistic import LogisticRegression
from piiscan.learning.naive_bayes import GaussianNB
from piiscan.learning.pca import PCA
from piiscan.learning.privacy import Privacy
from piiscan.learning.scaler import StandardScaler

__all__ = ["PCA", "GaussianNB", "KMeans", "LinearRegression", "LogisticRegression", "Privacy", "StandardScaler"]
