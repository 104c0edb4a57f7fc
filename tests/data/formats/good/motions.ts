# The content of motions.arff.
@problemName Motions
@univariate false
@dimensions 2
@classLabel true up down
@data
1,2,3:10,20,30:up
4,5:-1.5e1,.5:down
6,?,8:?,7,9:up
