@timeStamps true
@univariate true
@data
(0,1),1
