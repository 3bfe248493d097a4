// Words of English, German, French and Spanish that never decide whether a passage supports a sentence.

export const FUNCTION_WORDS = new Set(
  (
    "all and are but can did few for had has her him his how its may new nor not now off our out own per she the too two via was way who why yet you " +
    "about above after again also among because been before being below between both could does doing down during each every few from further " +
    "have having here into just like many more most much must only other over same shall should since some such than that their them then there these " +
    "they this those through under until upon very were what when where which while will with within without would your yours " +
    "als auf aus bei bis das ein hat ihr ihm man mit nur ohne per sie vom von vor war was wer wie wir zum zur " +
    "les des est pas par plus que qui aux ces ses son las los con del por sin sus muy fue era " +
    "aber alle auch dass dem den der des die diese dieser durch eine einem einen einer eines haben hatte ihre kann nach nicht noch oder sein sich sind sowie " +
    "über unter wird wurde wurden werden zwischen avec dans elle elles entre être leur leurs mais nous pour sans sont sous sur une vous " +
    "como desde entre esta este estos hasta para pero porque según sobre también unos unas"
  ).split(" "),
);
