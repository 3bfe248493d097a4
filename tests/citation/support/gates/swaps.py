"""Sentences of our own that say what their evidence says, and twins with one number, date, unit or denial changed.

language -> [(evidence, true restatements, swapped twins)]
"""

Case = tuple[str, tuple[str, ...], tuple[str, ...]]

SWAPS: dict[str, list[Case]] = {
    "en": [
        (
            "The drug reduced mortality from 12% to 9% in patients over 65.",
            ("In patients over 65 the drug reduced mortality from 12 percent to 9 percent.",),
            ("The drug reduced mortality from 9% to 12%.", "In patients over 56 the drug reduced mortality."),
        ),
        (
            "Python 3.10 requires 2 GB of memory and was released in October 2021.",
            (
                "Python 3.10 was released in October 2021.",
                "Version 3.10 of Python was released in 2021.",
                "Python 3.10 requires 2048 MB of memory.",
            ),
            (
                "Python 3.1 was released in October 2021.",
                "Python 3.11 was released in October 2021.",
                "Python 3.10 requires 2 MB of memory.",
            ),
        ),
        (
            "The plant employs 1,500 people and produced 2.4 million tyres in 2021.",
            (
                "The plant employs 1500 people.",
                "The plant employs 1.5k people.",
                "In 2021 the plant produced 2,400,000 tyres.",
                "The plant produced 2.4 million tyres in 2021.",
            ),
            (
                "The plant employs 1,800 people.",
                "The plant employs 15,000 people.",
                "In 2021 the plant produced 2.4 billion tyres.",
                "The plant produced 2.4 million tyres in 2012.",
            ),
        ),
        (
            "Sales of electric bicycles rose by 3 percent in March 2022.",
            (
                "Sales of electric bicycles rose by 3% in March 2022.",
                "Electric bicycle sales rose by three percent in March 2022.",
                "Sales of electric bicycles rose 3 per cent in March.",
            ),
            (
                "Sales of electric bicycles rose by 5% in March 2022.",
                "Sales of electric bicycles rose by 3% in April 2022.",
                "Sales of electric bicycles fell by 3% in March 2022.",
                "Sales of electric bicycles did not rise in March 2022.",
            ),
        ),
        (
            "The treaty was signed on 3 March 1992 by twelve member states.",
            (
                "The treaty was signed on 1992-03-03.",
                "Twelve member states signed the treaty on March 3, 1992.",
                "The treaty was signed by 12 member states.",
                "The treaty was signed in the 1990s.",
            ),
            (
                "The treaty was signed on 5 March 1992.",
                "The treaty was signed on 1992-04-03.",
                "The treaty was signed by 13 member states.",
                "The treaty was signed in the 1980s.",
                "The treaty was not signed by twelve member states.",
            ),
        ),
        (
            "Version 3.10 of the library does not support Windows 7.",
            ("Windows 7 is not supported by version 3.10 of the library.", "Version 3.10 doesn't support Windows 7."),
            (
                "Version 3.1 of the library does not support Windows 7.",
                "Version 3.10 of the library supports Windows 7.",
                "Version 3.10 of the library does not support Windows 8.",
            ),
        ),
        (
            "The bridge is 5 km long and cost $120 million.",
            ("The bridge is 5,000 metres long.", "The bridge cost 120 million dollars.", "The bridge cost $120m."),
            (
                "The bridge is 5 miles long.",
                "The bridge cost 120 million euros.",
                "The bridge cost $210 million.",
                "The bridge is 50 km long.",
            ),
        ),
        (
            "The committee approved the budget after a debate of two hours.",
            (
                "The budget was approved by the committee after a debate of 2 hours.",
                "The committee approved the budget.",
            ),
            (
                "The committee rejected the budget after a debate of two hours.",
                "The committee approved the budget after a debate of two days.",
                "The committee approved the budget before a debate of two hours.",
                "The committee never approved the budget.",
            ),
        ),
        (
            "She finished third in the marathon with a time of 2:30:15, and the court found the organiser guilty.",
            ("She finished 3rd in the marathon.", "The court found the organiser guilty."),
            ("She finished second in the marathon.", "The court found the organiser innocent."),
        ),
        (
            "The library opens at 9:00 a.m. on Mondays and lies on the northern bank of the river.",
            ("On Mondays the library opens at 9:00 a.m.", "The library lies on the northern bank of the river."),
            (
                "On Tuesdays the library opens at 9:00 a.m.",
                "On Mondays the library opens at 9:30 a.m.",
                "The library lies on the southern bank of the river.",
            ),
        ),
        (
            "The company reported net income of $3.75 billion for fiscal 2019, up 12% from the previous year.",
            (
                "Net income was $3.75 billion in fiscal 2019.",
                "Net income rose 12 percent in fiscal 2019.",
                "The company reported net income of 3,750 million dollars for fiscal 2019.",
            ),
            (
                "Net income was $3.57 billion in fiscal 2019.",
                "Net income was down 12% in fiscal 2019.",
                "Net income was $3.75 million in fiscal 2019.",
                "The company reported net income of $3.75 billion for fiscal 2018.",
            ),
        ),
        (
            "Patients should take two tablets every eight hours, but no more than six tablets in 24 hours.",
            (
                "Patients should take 2 tablets every 8 hours.",
                "Patients should take no more than six tablets in twenty-four hours.",
            ),
            (
                "Patients should take three tablets every eight hours.",
                "Patients should take two tablets every six hours.",
                "Patients should take no more than eight tablets in 24 hours.",
            ),
        ),
        (
            "Mount Elbrus, at 5,642 metres, is the highest peak in Europe and was first climbed in 1874.",
            (
                "Mount Elbrus is 5642 m high.",
                "Mount Elbrus was first climbed in 1874.",
                "Mount Elbrus is the highest peak in Europe.",
            ),
            (
                "Mount Elbrus is 5,462 metres high.",
                "Mount Elbrus was first climbed in 1847.",
                "Mount Elbrus is not the highest peak in Europe.",
                "Mount Elbrus is the lowest peak in Europe.",
            ),
        ),
        (
            "The museum is open from 10 a.m. to 6 p.m. and admission is free for children under 12.",
            ("Admission is free for children under 12.", "The museum is open from 10 a.m. to 6 p.m."),
            (
                "Admission is free for children under 14.",
                "The museum is open from 10 a.m. to 8 p.m.",
                "Admission is not free for children under 12.",
                "Admission is free for children over 12.",
            ),
        ),
        (
            "Einstein was born in Ulm in 1879 and never returned to Germany after 1933.",
            ("Einstein was born in Ulm in 1879.", "After 1933 Einstein never returned to Germany."),
            (
                "Einstein was born in Ulm in 1897.",
                "Einstein died in Ulm in 1879.",
                "Einstein returned to Germany after 1933.",
            ),
        ),
        (
            "The vaccine was 94.5 % effective in a trial with thirty thousand volunteers.",
            ("The vaccine was 94.5 percent effective.", "The trial had 30,000 volunteers."),
            (
                "The vaccine was 95.4% effective.",
                "The trial had 13,000 volunteers.",
                "The vaccine was ineffective in a trial with thirty thousand volunteers.",
                "The vaccine wasn't effective in a trial with thirty thousand volunteers.",
            ),
        ),
        (
            "The glacier retreated by about 1.2 kilometres between 1985 and 2020.",
            (
                "Between 1985 and 2020 the glacier retreated by 1.2 km.",
                "The glacier retreated by 1,200 metres between 1985 and 2020.",
            ),
            (
                "The glacier advanced by about 1.2 kilometres between 1985 and 2020.",
                "The glacier retreated by 2.1 km between 1985 and 2020.",
                "The glacier retreated by about 1.2 kilometres between 1958 and 2020.",
            ),
        ),
        (
            "Only nine of the forty applicants passed the exam.",
            ("Nine of the 40 applicants passed the exam.", "9 of the forty applicants passed."),
            (
                "Nineteen of the forty applicants passed the exam.",
                "Only nine of the fourteen applicants passed the exam.",
                "Only nine of the forty applicants failed the exam.",
            ),
        ),
        (
            "The airline cancelled 340 flights on Friday because of the storm, but trains were not affected.",
            ("The airline cancelled 340 flights on Friday.", "Trains were not affected by the storm."),
            (
                "The airline cancelled 430 flights on Friday.",
                "The airline cancelled 340 flights on Saturday.",
                "Trains were affected by the storm.",
                "The airline did not cancel 340 flights on Friday.",
            ),
        ),
        (
            "Firmware 2.4.1 fixes the crash; devices older than 2016 can no longer be updated.",
            ("Firmware 2.4.1 fixes the crash.", "Devices older than 2016 can no longer be updated."),
            (
                "Firmware 2.4.2 fixes the crash.",
                "Devices older than 2016 can be updated.",
                "Devices newer than 2016 can no longer be updated.",
                "Firmware 2.4.1 does not fix the crash.",
            ),
        ),
        (
            "The orchestra has 85 musicians and gives about sixty concerts a year.",
            ("The orchestra gives about 60 concerts a year.", "The orchestra has eighty-five musicians."),
            (
                "The orchestra has 58 musicians.",
                "The orchestra gives about sixteen concerts a year.",
                "The orchestra gives about sixty concerts a month.",
            ),
        ),
        (
            "The senate confirmed her nomination by 52 votes to 48 in October 2020.",
            ("In October 2020 the senate confirmed her nomination by 52 to 48 votes.",),
            (
                "The senate confirmed her nomination by 55 votes to 45.",
                "The senate refused her nomination by 52 votes to 48.",
                "The senate confirmed her nomination in November 2020.",
                "The senate did not confirm her nomination.",
            ),
        ),
    ],
    "de": [
        (
            "Der Anteil stieg in fünf Jahren von 12 % auf 19 %.",
            ("Von 12 Prozent auf 19 Prozent stieg der Anteil.", "In 5 Jahren stieg der Anteil auf 19 %."),
            ("Der Anteil stieg von 19 % auf 12 %.", "Der Anteil stieg in fünf Jahren von 12 % auf 91 %."),
        ),
        (
            "Das Werk beschäftigt 1.500 Menschen und baute im Jahr 2021 rund 2,4 Millionen Reifen.",
            (
                "Das Werk beschäftigt 1500 Menschen.",
                "Im Jahr 2021 baute das Werk 2,4 Mio. Reifen.",
                "Das Werk beschäftigt eintausendfünfhundert Menschen.",
                "Das Werk baute 2021 rund 2.400.000 Reifen.",
            ),
            (
                "Das Werk beschäftigt 1.800 Menschen.",
                "Das Werk beschäftigt 15.000 Menschen.",
                "Im Jahr 2021 baute das Werk 2,4 Milliarden Reifen.",
                "Im Jahr 2012 baute das Werk 2,4 Millionen Reifen.",
            ),
        ),
        (
            "Der Umsatz des Verlags stieg im März 2022 um drei Prozent.",
            (
                "Der Umsatz des Verlags stieg im März 2022 um 3 %.",
                "Im März 2022 stieg der Umsatz des Verlags um 3 Prozent.",
                "Im März 2022 ist der Umsatz des Verlags um drei Prozent gestiegen.",
            ),
            (
                "Der Umsatz des Verlags stieg im März 2022 um 5 %.",
                "Der Umsatz des Verlags stieg im April 2022 um drei Prozent.",
                "Der Umsatz des Verlags sank im März 2022 um drei Prozent.",
                "Der Umsatz des Verlags stieg im März 2022 nicht.",
            ),
        ),
        (
            "Der Vertrag wurde am 3. Oktober 1990 von zwölf Staaten unterzeichnet.",
            (
                "Der Vertrag wurde am 03.10.1990 unterzeichnet.",
                "Zwölf Staaten unterzeichneten den Vertrag am 3. Oktober 1990.",
                "Der Vertrag wurde von 12 Staaten unterzeichnet.",
            ),
            (
                "Der Vertrag wurde am 5. Oktober 1990 unterzeichnet.",
                "Der Vertrag wurde am 03.11.1990 unterzeichnet.",
                "Der Vertrag wurde von 13 Staaten unterzeichnet.",
                "Der Vertrag wurde am 3. Oktober 1991 unterzeichnet.",
                "Der Vertrag wurde nicht von zwölf Staaten unterzeichnet.",
            ),
        ),
        (
            "Die Brücke ist 5 km lang und kostete 120 Millionen Euro.",
            ("Die Brücke ist 5.000 Meter lang.", "Die Brücke kostete 120 Mio. €."),
            (
                "Die Brücke ist 5 Meilen lang.",
                "Die Brücke kostete 120 Millionen Dollar.",
                "Die Brücke kostete 210 Millionen Euro.",
                "Die Brücke ist 50 km lang.",
            ),
        ),
        (
            "Der Ausschuss hat den Haushalt nach einer Debatte von zwei Stunden genehmigt.",
            (
                "Nach einer Debatte von 2 Stunden hat der Ausschuss den Haushalt genehmigt.",
                "Der Ausschuss hat den Haushalt genehmigt.",
            ),
            (
                "Der Ausschuss hat den Haushalt nach einer Debatte von zwei Stunden abgelehnt.",
                "Der Ausschuss hat den Haushalt nach einer Debatte von zwei Tagen genehmigt.",
                "Der Ausschuss hat den Haushalt nicht genehmigt.",
                "Der Ausschuss hat den Haushalt vor einer Debatte von zwei Stunden genehmigt.",
            ),
        ),
        (
            "Die Behörde hat die Zulassung des Medikaments nicht verlängert.",
            (
                "Die Zulassung des Medikaments hat die Behörde nicht verlängert.",
                "Die Behörde verlängerte die Zulassung des Medikaments nicht.",
            ),
            (
                "Die Behörde hat die Zulassung des Medikaments verlängert.",
                "Die Zulassung des Medikaments wurde von der Behörde verlängert.",
            ),
        ),
        (
            "Das Schloss stammt aus dem 19. Jahrhundert und steht am nördlichen Ufer des Sees.",
            ("Das Schloss stammt aus dem 19. Jahrhundert.", "Das Schloss steht am nördlichen Ufer des Sees."),
            ("Das Schloss stammt aus dem 18. Jahrhundert.", "Das Schloss steht am südlichen Ufer des Sees."),
        ),
        (
            "Die Stadt hat fünfundzwanzig Schulen, in keiner davon gibt es ein Schwimmbad.",
            ("Die Stadt hat 25 Schulen.", "Die Stadt hat fünfundzwanzig Schulen."),
            ("Die Stadt hat 52 Schulen.", "Die Stadt hat vierundzwanzig Schulen."),
        ),
        (
            "Der Fluss ist 865 Kilometer lang und mündet bei Cuxhaven in die Nordsee.",
            ("Der Fluss ist 865 km lang.", "Der Fluss mündet bei Cuxhaven in die Nordsee."),
            (
                "Der Fluss ist 685 Kilometer lang.",
                "Der Fluss mündet bei Cuxhaven nicht in die Nordsee.",
                "Der Fluss ist 865 Meter lang.",
            ),
        ),
        (
            "Im Jahr 1989 fiel die Mauer; 28 Jahre lang hatte sie die Stadt geteilt.",
            ("1989 fiel die Mauer.", "Die Mauer hatte die Stadt achtundzwanzig Jahre lang geteilt."),
            (
                "1998 fiel die Mauer.",
                "Die Mauer hatte die Stadt 82 Jahre lang geteilt.",
                "Die Mauer hatte die Stadt 28 Monate lang geteilt.",
            ),
        ),
        (
            "Die Inflation lag im Juli bei 6,2 %, nach 5,8 % im Juni.",
            ("Die Inflation lag im Juli bei 6,2 Prozent.", "Im Juni lag die Inflation bei 5,8 Prozent."),
            (
                "Die Inflation lag im Juli bei 2,6 Prozent.",
                "Im August lag die Inflation bei 6,2 Prozent.",
                "Die Inflation lag im Juli bei 62 Prozent.",
            ),
        ),
        (
            "Das Gericht erklärte das Gesetz für verfassungswidrig, die Regierung legte keine Berufung ein.",
            ("Die Regierung legte keine Berufung ein.", "Das Gericht erklärte das Gesetz für verfassungswidrig."),
            ("Die Regierung legte Berufung ein.", "Das Gericht erklärte das Gesetz nicht für verfassungswidrig."),
        ),
        (
            "Der Verein gewann das Finale am 12. Mai 2018 mit 3:1 vor 45.000 Zuschauern.",
            (
                "Der Verein gewann das Finale mit 3:1.",
                "Das Finale sahen 45000 Zuschauer.",
                "Am 12. Mai 2018 gewann der Verein das Finale.",
            ),
            (
                "Der Verein verlor das Finale mit 3:1.",
                "Der Verein gewann das Finale mit 3:2.",
                "Das Finale sahen 54.000 Zuschauer.",
                "Am 21. Mai 2018 gewann der Verein das Finale.",
            ),
        ),
        (
            "Rund 40 Prozent der Befragten lehnen den Plan ab, ein Drittel unterstützt ihn.",
            ("Etwa 40 % der Befragten lehnen den Plan ab.", "Ein Drittel der Befragten unterstützt den Plan."),
            ("Rund 60 Prozent der Befragten lehnen den Plan ab.", "Ein Viertel der Befragten unterstützt den Plan."),
        ),
        (
            "Der Zug fährt täglich um 7:45 Uhr und erreicht München nach vier Stunden.",
            ("Der Zug fährt um 7:45 Uhr.", "Der Zug erreicht München nach 4 Stunden."),
            (
                "Der Zug fährt um 8:45 Uhr.",
                "Der Zug erreicht München nach fünf Stunden.",
                "Der Zug erreicht München nie.",
                "Der Zug fährt wöchentlich um 7:45 Uhr.",
            ),
        ),
        (
            "Die Anlage wurde 1974 gebaut und 2011 stillgelegt.",
            ("Die Anlage wurde im Jahr 1974 gebaut.", "2011 wurde die Anlage stillgelegt."),
            (
                "Die Anlage wurde 1947 gebaut.",
                "Die Anlage wurde 2011 nicht stillgelegt.",
                "Die Anlage wurde 2010 stillgelegt.",
            ),
        ),
        (
            "Die Hündin wiegt 12,5 kg und frisst zweimal täglich 150 Gramm.",
            ("Die Hündin wiegt 12,5 Kilogramm.", "Die Hündin frisst zweimal täglich 150 g."),
            (
                "Die Hündin wiegt 15,2 kg.",
                "Die Hündin frisst dreimal täglich 150 Gramm.",
                "Die Hündin wiegt 12,5 Gramm.",
                "Die Hündin frisst zweimal wöchentlich 150 Gramm.",
            ),
        ),
        (
            "Seit 2015 ist Rauchen in Gaststätten verboten.",
            ("Rauchen ist in Gaststätten seit 2015 verboten.",),
            (
                "Seit 2015 ist Rauchen in Gaststätten erlaubt.",
                "Seit 2005 ist Rauchen in Gaststätten verboten.",
                "Seit 2015 ist Rauchen in Gaststätten nicht verboten.",
            ),
        ),
    ],
    "es": [
        (
            "La tasa de paro bajó del 14 % al 11 % en dos años.",
            ("En dos años la tasa de paro bajó del 14 por ciento al 11 por ciento.",),
            ("La tasa de paro bajó del 11 % al 14 %.", "La tasa de paro bajó del 14 % al 1 % en dos años."),
        ),
        (
            "La planta emplea a 1.500 personas y produjo 2,4 millones de neumáticos en 2021.",
            (
                "La planta emplea a 1500 personas.",
                "La planta emplea a mil quinientas personas.",
                "En 2021 la planta produjo 2.400.000 neumáticos.",
                "La planta produjo 2,4 millones de neumáticos en 2021.",
            ),
            (
                "La planta emplea a 1.800 personas.",
                "La planta emplea a 15.000 personas.",
                "La planta produjo 2,4 mil millones de neumáticos en 2021.",
                "La planta produjo 2,4 millones de neumáticos en 2012.",
            ),
        ),
        (
            "Las ventas de bicicletas eléctricas subieron un 3 por ciento en marzo de 2022.",
            (
                "Las ventas de bicicletas eléctricas subieron un 3 % en marzo de 2022.",
                "En marzo de 2022 las ventas de bicicletas eléctricas subieron un tres por ciento.",
                "Las ventas de bicicletas eléctricas subieron un 3% en marzo.",
            ),
            (
                "Las ventas de bicicletas eléctricas subieron un 5 % en marzo de 2022.",
                "Las ventas de bicicletas eléctricas subieron un 3 % en abril de 2022.",
                "Las ventas de bicicletas eléctricas bajaron un 3 % en marzo de 2022.",
                "Las ventas de bicicletas eléctricas no subieron en marzo de 2022.",
            ),
        ),
        (
            "El tratado fue firmado el 3 de marzo de 1992 por doce países.",
            (
                "El tratado fue firmado el 03/03/1992.",
                "Doce países firmaron el tratado el 3 de marzo de 1992.",
                "El tratado fue firmado por 12 países.",
            ),
            (
                "El tratado fue firmado el 5 de marzo de 1992.",
                "El tratado fue firmado el 3 de mayo de 1992.",
                "El tratado fue firmado por 13 países.",
                "El tratado fue firmado el 3 de marzo de 1993.",
                "El tratado nunca fue firmado por doce países.",
            ),
        ),
        (
            "El puente mide 5 km y costó 120 millones de euros.",
            ("El puente mide 5.000 metros.", "El puente costó 120 millones de euros."),
            (
                "El puente mide 5 millas.",
                "El puente costó 120 millones de dólares.",
                "El puente costó 210 millones de euros.",
                "El puente mide 50 km.",
            ),
        ),
        (
            "El comité aprobó el presupuesto después de un debate de dos horas.",
            (
                "El comité aprobó el presupuesto después de un debate de 2 horas.",
                "El presupuesto fue aprobado por el comité.",
            ),
            (
                "El comité rechazó el presupuesto después de un debate de dos horas.",
                "El comité aprobó el presupuesto después de un debate de dos días.",
                "El comité no aprobó el presupuesto.",
                "El comité aprobó el presupuesto antes de un debate de dos horas.",
            ),
        ),
        (
            "El ministerio no confirmó la compra de los aviones.",
            (
                "La compra de los aviones no fue confirmada por el ministerio.",
                "El ministerio no ha confirmado la compra de los aviones.",
            ),
            (
                "El ministerio confirmó la compra de los aviones.",
                "La compra de los aviones fue confirmada por el ministerio.",
            ),
        ),
        (
            "El castillo es del siglo XIX y está en la orilla norte del lago.",
            ("El castillo es del siglo XIX.", "El castillo está en la orilla norte del lago."),
            ("El castillo es del siglo XVIII.", "El castillo está en la orilla sur del lago."),
        ),
        (
            "La ciudad tiene veinticinco escuelas y treinta y dos parques.",
            ("La ciudad tiene 25 escuelas.", "La ciudad tiene 32 parques."),
            (
                "La ciudad tiene 52 escuelas.",
                "La ciudad tiene treinta y tres parques.",
                "La ciudad tiene veinticuatro escuelas.",
            ),
        ),
        (
            "El río mide 1.007 kilómetros y desemboca en el Atlántico cerca de Lisboa.",
            ("El río mide 1007 km.", "El río desemboca en el Atlántico."),
            ("El río mide 1.070 kilómetros.", "El río no desemboca en el Atlántico.", "El río mide 1.007 metros."),
        ),
        (
            "La inflación fue del 6,2 % en julio y el paro bajó al 12,5 %.",
            ("La inflación fue del 6,2 por ciento en julio.", "El paro bajó al 12,5 %."),
            (
                "La inflación fue del 2,6 % en julio.",
                "La inflación fue del 6,2 % en junio.",
                "El paro subió al 12,5 %.",
                "El paro no bajó al 12,5 %.",
            ),
        ),
        (
            "El escritor nació en 1927 y ganó el Premio Nobel en 1982.",
            ("El escritor ganó el Premio Nobel en 1982.", "El escritor nació en 1927."),
            (
                "El escritor ganó el Premio Nobel en 1928.",
                "El escritor murió en 1927.",
                "El escritor nunca ganó el Premio Nobel.",
                "El escritor nació en 1972.",
            ),
        ),
        (
            "El medicamento es seguro para niños mayores de seis años y no debe tomarse con alcohol.",
            ("El medicamento es seguro para niños mayores de 6 años.", "El medicamento no debe tomarse con alcohol."),
            (
                "El medicamento no es seguro para niños mayores de seis años.",
                "El medicamento es seguro para niños mayores de ocho años.",
                "El medicamento debe tomarse con alcohol.",
                "El medicamento es peligroso para niños mayores de seis años.",
            ),
        ),
        (
            "Unas 250.000 personas, dos tercios de la población, viven en la capital.",
            ("Unas 250 000 personas viven en la capital.", "Dos tercios de la población viven en la capital."),
            ("Unas 520.000 personas viven en la capital.", "Un tercio de la población vive en la capital."),
        ),
        (
            "El tren tarda cuatro horas y cuesta 45 euros; los menores de diez años no pagan.",
            ("El tren tarda 4 horas.", "El tren cuesta 45 €.", "Los menores de 10 años no pagan."),
            (
                "El tren tarda cinco horas.",
                "El tren cuesta 54 euros.",
                "Los menores de diez años pagan.",
                "Los menores de doce años no pagan.",
            ),
        ),
        (
            "La fábrica abrió en 1968 y cerró en 2009, cuando empleaba a trescientas personas.",
            ("La fábrica abrió en 1968.", "La fábrica empleaba a 300 personas."),
            (
                "La fábrica cerró en 1968.",
                "La fábrica abrió en 1986.",
                "La fábrica empleaba a doscientas personas.",
                "La fábrica no cerró en 2009.",
            ),
        ),
        (
            "El acueducto tiene 167 arcos y fue construido en el siglo II.",
            ("El acueducto tiene 167 arcos.", "El acueducto fue construido en el siglo II."),
            (
                "El acueducto tiene 176 arcos.",
                "El acueducto fue construido en el siglo III.",
                "El acueducto no fue construido en el siglo II.",
            ),
        ),
        (
            "La empresa perdió 14 millones en 2020 y ganó 9 millones en 2021.",
            ("La empresa ganó 9 millones en 2021.", "En 2020 la empresa perdió 14 millones."),
            (
                "La empresa ganó 14 millones en 2020.",
                "La empresa perdió 9 millones en 2021.",
                "La empresa ganó 9 millones en 2022.",
            ),
        ),
    ],
    "fr": [
        (
            "La part du rail est passée de 8 % à 13 % depuis 2010.",
            ("Depuis 2010, la part du rail est passée de 8 pour cent à 13 pour cent.",),
            ("La part du rail est passée de 13 % à 8 %.", "La part du rail est passée de 8 % à 30 %."),
        ),
        (
            "L'usine emploie 1 500 personnes et a produit 2,4 millions de pneus en 2021.",
            (
                "L'usine emploie 1500 personnes.",
                "L'usine emploie mille cinq cents personnes.",
                "En 2021, l'usine a produit 2 400 000 pneus.",
                "L'usine a produit 2,4 millions de pneus en 2021.",
            ),
            (
                "L'usine emploie 1 800 personnes.",
                "L'usine emploie 15 000 personnes.",
                "L'usine a produit 2,4 milliards de pneus en 2021.",
                "L'usine a produit 2,4 millions de pneus en 2012.",
            ),
        ),
        (
            "Les ventes de vélos électriques ont augmenté de 3 pour cent en mars 2022.",
            (
                "Les ventes de vélos électriques ont augmenté de 3 % en mars 2022.",
                "En mars 2022, les ventes de vélos électriques ont augmenté de trois pour cent.",
                "Les ventes de vélos électriques ont augmenté de 3% en mars.",
            ),
            (
                "Les ventes de vélos électriques ont augmenté de 5 % en mars 2022.",
                "Les ventes de vélos électriques ont augmenté de 3 % en avril 2022.",
                "Les ventes de vélos électriques ont diminué de 3 % en mars 2022.",
                "Les ventes de vélos électriques n'ont pas augmenté en mars 2022.",
            ),
        ),
        (
            "Le traité a été signé le 3 mars 1992 par douze pays.",
            (
                "Le traité a été signé le 03/03/1992.",
                "Douze pays ont signé le traité le 3 mars 1992.",
                "Le traité a été signé par 12 pays.",
            ),
            (
                "Le traité a été signé le 5 mars 1992.",
                "Le traité a été signé le 3 mai 1992.",
                "Le traité a été signé par 13 pays.",
                "Le traité a été signé le 3 mars 1993.",
                "Le traité n'a jamais été signé par douze pays.",
            ),
        ),
        (
            "Le pont mesure 5 km et a coûté 120 millions d'euros.",
            ("Le pont mesure 5 000 mètres.", "Le pont a coûté 120 millions d'euros."),
            (
                "Le pont mesure 5 miles.",
                "Le pont a coûté 120 millions de dollars.",
                "Le pont a coûté 210 millions d'euros.",
                "Le pont mesure 50 km.",
            ),
        ),
        (
            "Le comité a approuvé le budget après un débat de deux heures.",
            ("Le comité a approuvé le budget après un débat de 2 heures.", "Le budget a été approuvé par le comité."),
            (
                "Le comité a rejeté le budget après un débat de deux heures.",
                "Le comité a approuvé le budget après un débat de deux jours.",
                "Le comité n'a pas approuvé le budget.",
                "Le comité a approuvé le budget avant un débat de deux heures.",
            ),
        ),
        (
            "Le ministère n'a pas confirmé l'achat des avions.",
            (
                "L'achat des avions n'a pas été confirmé par le ministère.",
                "Le ministère n'a pas confirmé l'achat des avions.",
            ),
            ("Le ministère a confirmé l'achat des avions.", "L'achat des avions a été confirmé par le ministère."),
        ),
        (
            "Le château date du XIXe siècle et se trouve sur la rive nord du lac.",
            ("Le château date du XIXe siècle.", "Le château se trouve sur la rive nord du lac."),
            ("Le château date du XVIIIe siècle.", "Le château se trouve sur la rive sud du lac."),
        ),
        (
            "La ville compte quatre-vingt-dix-sept écoles et vingt et un parcs.",
            ("La ville compte 97 écoles.", "La ville compte 21 parcs."),
            (
                "La ville compte 87 écoles.",
                "La ville compte vingt-deux parcs.",
                "La ville compte quatre-vingt-dix-huit écoles.",
            ),
        ),
        (
            "Le fleuve mesure 777 kilomètres et se jette dans la Manche au Havre.",
            ("Le fleuve mesure 777 km.", "Le fleuve se jette dans la Manche."),
            (
                "Le fleuve mesure 767 kilomètres.",
                "Le fleuve ne se jette pas dans la Manche.",
                "Le fleuve mesure 777 mètres.",
            ),
        ),
        (
            "L'inflation a atteint 6,2 % en juillet et le chômage a baissé à 7,1 %.",
            ("L'inflation a atteint 6,2 pour cent en juillet.", "Le chômage a baissé à 7,1 %."),
            (
                "L'inflation a atteint 2,6 % en juillet.",
                "L'inflation a atteint 6,2 % en juin.",
                "Le chômage a augmenté à 7,1 %.",
                "Le chômage n'a pas baissé à 7,1 %.",
            ),
        ),
        (
            "L'écrivain est né en 1913 et a reçu le prix Nobel en 1957.",
            ("L'écrivain a reçu le prix Nobel en 1957.", "L'écrivain est né en 1913."),
            (
                "L'écrivain a reçu le prix Nobel en 1975.",
                "L'écrivain n'a jamais reçu le prix Nobel.",
                "L'écrivain est mort en 1913.",
                "L'écrivain est né en 1931.",
            ),
        ),
        (
            "Environ un quart des quatre-vingts employés travaillent à temps partiel.",
            ("Un quart des 80 employés travaillent à temps partiel.",),
            (
                "Un tiers des 80 employés travaillent à temps partiel.",
                "Un quart des 90 employés travaillent à temps partiel.",
                "Un quart des quatre-vingt-dix employés travaillent à temps partiel.",
            ),
        ),
        (
            "La loi autorise la vente de ce produit aux mineurs de plus de seize ans.",
            ("La loi autorise la vente de ce produit aux mineurs de plus de 16 ans.",),
            (
                "La loi interdit la vente de ce produit aux mineurs de plus de seize ans.",
                "La loi n'autorise pas la vente de ce produit aux mineurs.",
                "La loi autorise la vente de ce produit aux mineurs de plus de dix-huit ans.",
            ),
        ),
        (
            "Le train met quatre heures et coûte 45 euros ; les enfants de moins de dix ans ne paient pas.",
            ("Le train met 4 heures.", "Le train coûte 45 €.", "Les enfants de moins de 10 ans ne paient pas."),
            (
                "Le train met cinq heures.",
                "Le train coûte 54 euros.",
                "Les enfants de moins de dix ans paient.",
                "Les enfants de moins de douze ans ne paient pas.",
            ),
        ),
        (
            "L'usine a ouvert en 1968 et a fermé en 2009, quand elle employait trois cents personnes.",
            ("L'usine a ouvert en 1968.", "L'usine employait 300 personnes."),
            (
                "L'usine a fermé en 1968.",
                "L'usine a ouvert en 1986.",
                "L'usine employait deux cents personnes.",
                "L'usine n'a pas fermé en 2009.",
            ),
        ),
        (
            "La tour mesure 324 mètres et compte 1 665 marches.",
            ("La tour compte 1665 marches.", "La tour mesure 324 m."),
            ("La tour mesure 342 mètres.", "La tour compte 1 656 marches.", "La tour mesure 324 kilomètres."),
        ),
        (
            "Le vaccin est obligatoire pour les soignants depuis septembre 2021.",
            ("Depuis septembre 2021, le vaccin est obligatoire pour les soignants.",),
            (
                "Le vaccin n'est pas obligatoire pour les soignants.",
                "Le vaccin est obligatoire pour les soignants depuis octobre 2021.",
                "Le vaccin est facultatif pour les soignants depuis septembre 2021.",
            ),
        ),
    ],
    "zh": [
        (
            "失业率从百分之七降至百分之五。",
            ("失业率从7%降至5%。", "失业率降至5%。"),
            ("失业率从5%降至7%。", "失业率从7%降至3%。"),
        ),
        (
            "该工厂有1500名员工，2021年生产了240万条轮胎。",
            (
                "该工厂有一千五百名员工。",
                "该工厂有1,500名员工。",
                "2021年该工厂生产了2400000条轮胎。",
                "二〇二一年该工厂生产了240万条轮胎。",
            ),
            (
                "该工厂有1800名员工。",
                "该工厂有一万五千名员工。",
                "2021年该工厂生产了240亿条轮胎。",
                "2012年该工厂生产了240万条轮胎。",
            ),
        ),
        (
            "2022年3月，电动自行车的销量上升了3%。",
            (
                "2022年3月，电动自行车的销量上升了百分之三。",
                "2022年三月，电动自行车的销量上升了3％。",
                "电动自行车的销量上升了3%。",
            ),
            (
                "2022年3月，电动自行车的销量上升了5%。",
                "2022年4月，电动自行车的销量上升了3%。",
                "2022年3月，电动自行车的销量下降了3%。",
                "2022年3月，电动自行车的销量没有上升。",
            ),
        ),
        (
            "该条约于1992年3月3日由十二个国家签署。",
            ("该条约于1992-03-03签署。", "该条约由12个国家签署。", "该条约于一九九二年三月三日签署。"),
            (
                "该条约于1992年3月5日签署。",
                "该条约于1992年4月3日签署。",
                "该条约由13个国家签署。",
                "该条约于1993年3月3日签署。",
            ),
        ),
        (
            "这座大桥长5公里，造价1.2亿美元。",
            ("这座大桥长5000米。", "这座大桥造价1亿2000万美元。", "这座大桥造价1.2亿美元。"),
            ("这座大桥长5英里。", "这座大桥造价1.2亿欧元。", "这座大桥造价2.1亿美元。", "这座大桥长50公里。"),
        ),
        (
            "委员会经过两小时的辩论后批准了预算。",
            ("委员会经过2小时的辩论后批准了预算。", "委员会批准了预算。"),
            ("委员会经过两小时的辩论后否决了预算。", "委员会经过两天的辩论后批准了预算。", "委员会没有批准预算。"),
        ),
        (
            "该部门未确认购买这批飞机。",
            ("该部门没有确认购买这批飞机。", "该部门并未确认购买这批飞机。"),
            ("该部门确认购买这批飞机。", "该部门确认购买了这批飞机。"),
        ),
        (
            "这座城堡建于19世纪，位于湖的北侧。",
            ("这座城堡建于十九世纪。", "这座城堡位于湖的北侧。"),
            ("这座城堡建于18世纪。", "这座城堡位于湖的南侧。"),
        ),
        (
            "全市共有二十五所学校，第三中学成立于1950年。",
            ("全市共有25所学校。", "第3中学成立于1950年。"),
            ("全市共有52所学校。", "全市共有二十四所学校。", "第四中学成立于1950年。", "第三中学成立于1955年。"),
        ),
        (
            "公司不支持在周一退货，退货须在十天内办理。",
            ("公司不支持在周一退货。", "退货须在10天内办理。"),
            ("公司支持在周一退货。", "公司不支持在周二退货。", "退货须在二十天内办理。", "退货须在十个月内办理。"),
        ),
        (
            "三分之二的居民反对该项目，约3万人参加了投票。",
            ("三分之二的居民反对该项目。", "约30000人参加了投票。"),
            ("三分之一的居民反对该项目。", "约5万人参加了投票。", "三分之二的居民支持该项目。"),
        ),
        (
            "长江全长6300余公里，是亚洲第一长河。",
            ("长江全长六千三百余公里。", "长江是亚洲第一长河。"),
            ("长江全长3600余公里。", "长江是亚洲第二长河。", "长江全长6300余米。", "长江不是亚洲第一长河。"),
        ),
        (
            "今年第二季度国内生产总值同比增长6.3%，失业率为5.2%。",
            ("第二季度国内生产总值同比增长百分之六点三。", "失业率为5.2％。"),
            (
                "第二季度国内生产总值同比增长3.6%。",
                "第三季度国内生产总值同比增长6.3%。",
                "第二季度国内生产总值同比下降6.3%。",
                "失业率为2.5%。",
            ),
        ),
        (
            "他于1936年去世，享年五十五岁，一生发表了三十三部作品。",
            ("他享年55岁。", "他一生发表了33部作品。", "他于一九三六年去世。"),
            ("他于1963年去世。", "他享年六十五岁。", "他一生发表了三十五部作品。", "他于1936年出生。"),
        ),
        (
            "这种药物可以与酒精同服，儿童不得使用。",
            ("儿童不得使用这种药物。", "这种药物可以与酒精同服。"),
            ("这种药物不可以与酒精同服。", "儿童可以使用这种药物。"),
        ),
        (
            "会议于上午九点三十分开始，约两百人出席。",
            ("会议于上午9点30分开始。", "约200人出席了会议。"),
            ("会议于上午10点30分开始。", "约三百人出席了会议。", "会议于上午九点三十分结束。"),
        ),
        (
            "列车每天早上七点四十五分出发，四小时后到达，票价45元。",
            ("列车7点45分出发。", "列车4小时后到达。", "票价四十五元。"),
            ("列车早上八点四十五分出发。", "列车五小时后到达。", "票价54元。", "列车每周早上七点四十五分出发。"),
        ),
        (
            "该厂于1968年开业，2009年关闭，当时有三百名员工。",
            ("该厂于1968年开业。", "该厂2009年关闭时有300名员工。"),
            ("该厂于1986年开业。", "该厂有五百名员工。", "该厂2009年没有关闭。", "该厂于1968年关闭。"),
        ),
        (
            "约四成受访者反对该计划，三分之一表示支持。",
            ("约40%的受访者反对该计划。", "三分之一的受访者表示支持。"),
            ("约六成受访者反对该计划。", "四分之一的受访者表示支持。", "约四成受访者不反对该计划。"),
        ),
        (
            "这座塔高324米，有一千六百六十五级台阶。",
            ("这座塔有1665级台阶。", "这座塔高324米。"),
            ("这座塔高342米。", "这座塔有1656级台阶。", "这座塔高324公里。"),
        ),
        (
            "自2015年起，餐厅内禁止吸烟。",
            ("2015年起餐厅内禁止吸烟。",),
            ("自2015年起，餐厅内允许吸烟。", "自2005年起，餐厅内禁止吸烟。", "自2015年起，餐厅内不禁止吸烟。"),
        ),
    ],
}
