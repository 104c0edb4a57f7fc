@PROBLEMNAME Sample
@UNIVARIATE TRUE
@Missing true
@SeriesLength 3
@classlabel false
@DATA
1,?,3
NaN,5,6