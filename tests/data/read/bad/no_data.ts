@problemName Sample
@univariate true
