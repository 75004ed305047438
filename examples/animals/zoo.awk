# Turns the UCI Zoo file into a table with a header.
#
#   awk -f zoo.awk zoo.data > zoo.csv
#
# A row of zoo.data is `(name v1 … v16 type)`: the attributes in the order of the
# header below, each 1 or 0 except legs, which is a number, and the type, 1 to 7.
# 1 and 0 become yes and no, the type its usual name; type 7 is every invertebrate
# that is no insect. Rows, their order and the
# animals' names stay as they are, also the two rows that are called frog.
BEGIN {
    OFS = ","
    print "animal,hair,feathers,eggs,milk,airborne,aquatic,predator,toothed," \
          "backbone,breathes,venomous,fins,legs,tail,domestic,catsize,type"
    split("mammal,bird,reptile,fish,amphibian,insect,other invertebrate", types, ",")
}
NF == 18 {
    gsub(/[()]/, "")
    for (k = 2; k <= 17; k++) if (k != 14) $k = $k ? "yes" : "no"
    $18 = types[$18]
    print
}
