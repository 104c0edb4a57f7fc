# The content of arrows.arff.
@problemName Arrows
@timeStamps false
@missing true
@univariate true
@equalLength false
@classLabel true 0 1 2_or_3
@data
-1.9630089,-1.9578249,2:0
1.5,?,-3e1:2_or_3
7,8:1
