# Two dimensions, three cases of unequal length.
@problemName Sample
@timeStamps false
@missing false
@univariate false
@dimensions 2
@equalLength false
@classLabel true up down
@data
1,2,3:10,20,30:up
# between cases
4 , 5:-1.5e1,.5:down

6:7:up
