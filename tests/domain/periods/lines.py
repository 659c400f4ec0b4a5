"""Lines as people write them: decisive ones by what they are, and ordinary ones that are none of these."""

from __future__ import annotations

DECISIVE = {
    "Decisions": {
        "en": """
            We decided to open on Sundays from March.
            Agreed with Ina: the sign stays blue.
            We go with Nord for the flour.
            Chose the oak table over the pine one.
            We will use Postgres for the stock list.
            The board approved the new oven.
            Decision: no more single-use cups.
            From now on every order needs a second signature.
            Kari and I settled on the third of December for the launch.
            We're switching to the smaller supplier.
        """,
        "nb": """
            Vi har bestemt oss for å holde søndagsåpent fra mars.
            Ble enige med Ina om at skiltet forblir blått.
            Vi går for Nord som leverandør av mel.
            Valgte eikebordet framfor furubordet.
            Styret vedtok den nye ovnen.
            Beslutning: ingen engangskopper.
            Fra nå av skal hver ordre ha to underskrifter.
            Landet på tredje desember for lanseringen.
            Vi bytter til den mindre leverandøren.
            Det er avtalt at Kari tar nøklene.
        """,
        "de": """
            Wir haben beschlossen, ab März sonntags zu öffnen.
            Mit Ina vereinbart: das Schild bleibt blau.
            Wir nehmen Nord für das Mehl.
            Haben uns für den Eichentisch entschieden.
            Der Vorstand hat den neuen Ofen genehmigt.
            Entscheidung: keine Einwegbecher mehr.
            Ab sofort braucht jede Bestellung eine zweite Unterschrift.
            Wir bleiben beim dritten Dezember für die Eröffnung.
            Wir wechseln zum kleineren Lieferanten.
            Kari und ich haben uns auf den Freitag geeinigt.
        """,
    },
    "Corrections": {
        "en": """
            Actually the delivery is on Thursday, not Tuesday.
            Correction: the rent is 9,800, not 8,900.
            I was wrong about the boiler, it was the pump.
            The invoice number should have been 1042.
            Not 3 December but 10 December.
            I misread the contract, the notice is three months.
            That was wrong: Kari has the keys.
            The correct address is Storgata 12.
            My mistake, the meeting is at nine.
            It is Ola who signs, not Kari.
        """,
        "nb": """
            Rettelse: husleia er 9 800, ikke 8 900.
            Jeg tok feil om kjelen, det var pumpa.
            Egentlig kommer varene på torsdag, ikke tirsdag.
            Fakturanummeret skulle vært 1042.
            Ikke 3. desember, men 10. desember.
            Leste feil i kontrakten, oppsigelsestiden er tre måneder.
            Det stemmer ikke at Ola har nøklene, det er Kari.
            Riktig adresse er Storgata 12.
            Min feil, møtet er klokka ni.
            Jeg blandet sammen de to tilbudene.
        """,
        "de": """
            Korrektur: die Miete ist 980, nicht 890.
            Ich habe mich beim Kessel geirrt, es war die Pumpe.
            Eigentlich kommt die Lieferung am Donnerstag, nicht am Dienstag.
            Die Rechnungsnummer hätte 1042 lauten müssen.
            Nicht am 3. Dezember, sondern am 10. Dezember.
            Ich habe mich im Vertrag verlesen, die Frist sind drei Monate.
            Das stimmt nicht, Kari hat die Schlüssel.
            Die richtige Adresse ist Hauptstraße 12.
            Mein Fehler, das Treffen ist um neun.
            Ich habe die beiden Angebote verwechselt.
        """,
    },
    "Lessons": {
        "en": """
            Lesson: ask for the receipt before the van leaves.
            Learned that the old oven needs an hour to warm up.
            Next time order the flour two weeks ahead.
            Never again a launch on a Monday.
            Note to self: the back door sticks when it rains.
            Turns out the printer only works with the blue cable.
            Always measure the wall before ordering shelves.
            Never pay the deposit before the contract is signed.
            In hindsight the second quote was the honest one.
            We should have asked the neighbours first.
        """,
        "nb": """
            Lærdom: be om kvitteringen før bilen kjører.
            Lærte at den gamle ovnen trenger en time for å bli varm.
            Neste gang bestiller vi melet to uker før.
            Aldri mer en lansering på en mandag.
            Notat til meg selv: bakdøra henger når det regner.
            Det viste seg at skriveren bare liker den blå kabelen.
            Alltid mål veggen før hyllene bestilles.
            Betal aldri depositumet før kontrakten er signert, det må aldri skje igjen.
            I ettertid var det andre tilbudet det ærlige.
            Vi burde ha spurt naboene først.
        """,
        "de": """
            Lehre: die Quittung verlangen, bevor der Wagen fährt.
            Daraus gelernt: der alte Ofen braucht eine Stunde.
            Nächstes Mal bestellen wir das Mehl zwei Wochen früher.
            Nie wieder eine Eröffnung an einem Montag.
            Notiz an mich: die Hintertür klemmt bei Regen.
            Es stellte sich heraus, dass der Drucker nur das blaue Kabel mag.
            Immer die Wand messen, bevor man Regale bestellt.
            Nie die Anzahlung leisten, bevor der Vertrag unterschrieben ist.
            Im Nachhinein war das zweite Angebot das ehrliche.
            Wir hätten zuerst die Nachbarn fragen sollen.
        """,
    },
}
ORDINARY = """
    Met Ina at the yard to look at the boat.
    The kids had their piano lesson at four.
    Swimming lessons start again in January.
    Walked to the harbour before breakfast, minus six and clear.
    Ola called about the boat, he will ring again on Friday.
    We haven't decided on the colour yet.
    Do we agree on the price?
    The decision is due on Friday.
    Need to decide between Nord and Storli.
    If we choose Nord we save two thousand.
    Maybe we should use the old shed.
    Ina suggested that we switch to the smaller van.
    The committee will decide next week.
    The soup turned out well.
    Dinner was actually quite nice.
    I actually like the new chair.
    Nothing is wrong with the pump.
    Something is wrong with the left brake.
    The printer is wrong for this paper.
    Not only the roof but also the gutter leaks.
    The coffee was not hot but drinkable.
    I always liked that road.
    Ola is always late on Mondays.
    She never called back.
    Never mind the rain, it was a good walk.
    The dog never eats before noon.
    See you next time!
    When is the next time the chimney sweep comes?
    Our daughter learned to ride a bike.
    The apprentice is learning fast.
    Went with Kari to the dentist.
    I'm going with Ola to the concert tonight.
    Picked up the parcel at the shop.
    We picked apples all afternoon.
    The election is on Sunday.
    Ordered forty kilos of flour.
    The tie goes with the blue shirt.
    Used the big pot for the jam.
    They will use the hall on Friday for the choir.
    Sent the offer to Nord.
    Paid the electricity bill, 1,240 kr.
    The parcel from Bergen arrived.
    Third day of rain.
    Cleaned the workshop and sorted the screws.
    Talked to the bank about the loan.
    Long call with the insurance, no result.
    Kari is on holiday until Monday.
    The right-hand window needs paint.
    Turned down the heating for the night.
    Turned left at the church and found the place.
    The shop was closed on Monday, so we came back on Tuesday.
    The agreement from last year is in the red binder.
    Read the chapter about decision trees.
    Ola asked whether we had decided.
    Should we approve the budget?
    The approval from the council is still missing.
    Waiting for approval of the drawings.
    He could not agree more, he said, and laughed.
    I agree with you.
    Good point, thanks!
    Ok, sounds good.
    Yes please.
    Could you check the opening hours?
    Please draft a reply to Ina.
    Show me what is open this week.
    Bought a new saw and two boxes of nails.
    Visited mother, she is better.
    Fixed the tap in the kitchen.
    The bus was ten minutes late.
    Two guests cancelled.
    Ran five kilometres in the forest.
    Wrote three pages of the report.
    The meeting ended at four.
    Lunch with Per at the harbour café.
    Slept badly, the wind was loud.
    It should have stopped raining by now.
    I should be there at nine.
    The ferry leaves at 14:30.
    The correct side of the street is sunny in the morning.
    Møtte Ina på verftet.
    Barna hadde pianotime klokka fire.
    Vi har ikke bestemt oss for fargen ennå.
    Kanskje vi bør bytte skur.
    Ina foreslo at vi bytter til en mindre bil.
    Styret skal avgjøre saken neste uke.
    Suppa ble god.
    Middagen var egentlig ganske fin.
    Ola er alltid sen på mandager.
    Hun ringte aldri tilbake.
    Vi ses neste gang!
    Datteren vår har lært å sykle.
    Gikk en tur med Kari til tannlegen.
    Hentet pakken i butikken.
    Bestilte førti kilo mel.
    Betalte strømregningen, 1 240 kr.
    Pakken fra Bergen kom.
    Tredje dag med regn.
    Ryddet verkstedet og sorterte skruer.
    Snakket med banken om lånet.
    Kari har ferie til mandag.
    Må bestemme meg mellom Nord og Storli.
    Er vi enige om prisen?
    Noe er feil med venstre brems.
    Takk, det høres bra ut.
    Kan du sjekke åpningstidene?
    Bussen var ti minutter forsinket.
    Leste et kapittel før leggetid.
    Kaffen var ikke varm, men god nok.
    Ferja går 14:30.
    Ina in der Werft getroffen.
    Die Kinder hatten um vier Klavierstunde.
    Wir haben uns noch nicht für die Farbe entschieden.
    Vielleicht sollten wir den alten Schuppen nehmen.
    Ina schlägt vor, zum kleineren Wagen zu wechseln.
    Der Vorstand wird nächste Woche darüber beraten.
    Die Suppe ist gut geworden.
    Das Essen war eigentlich ganz nett.
    Ola kommt montags immer zu spät.
    Sie hat nie zurückgerufen.
    Bis zum nächsten Mal!
    Unsere Tochter hat Rad fahren gelernt.
    Mit Kari beim Zahnarzt gewesen.
    Das Paket im Laden abgeholt.
    Vierzig Kilo Mehl bestellt.
    Stromrechnung bezahlt, 124 Euro.
    Das Paket aus Bergen ist angekommen.
    Dritter Tag Regen.
    Die Werkstatt aufgeräumt und Schrauben sortiert.
    Mit der Bank über den Kredit gesprochen.
    Kari hat Urlaub bis Montag.
    Sind wir uns über den Preis einig?
    Mit der linken Bremse stimmt etwas nicht ganz.
    Danke, klingt gut.
    Kannst du die Öffnungszeiten prüfen?
    Der Bus kam zehn Minuten zu spät.
    Der Kaffee war nicht heiß, aber trinkbar.
    Nicht nur das Dach, sondern auch die Rinne leckt.
    Die Fähre fährt um 14:30.
    Die Wahl ist am Sonntag.
"""

# Other ways to say it, in all three languages.
FURTHER = {
    "Decisions": """
        After two hours we landed on the smaller hall.
        I've decided against the lease.
        OK, final answer: cash only at the market.
        We're going ahead with the spring concert on the 14th.
        The committee voted to close the old workshop.
        Per gets the Saturday shift, that's settled.
        We are dropping the printed menu.
        Signed off on the new logo with Liv.
        Starting Monday, all returns go through Kari.
        Went with the cheaper insurance in the end.
        Etter to timer landet vi på den minste salen.
        Jeg takket nei til leieavtalen.
        Vi kutter den trykte menyen.
        Komiteen stemte for å legge ned verkstedet.
        Per tar lørdagsvakten, det er avgjort.
        Vi kjører på med vårkonserten den 14.
        Godkjente den nye logoen sammen med Liv.
        Fra mandag går alle returer via Kari.
        Det ble den billigste forsikringen til slutt.
        Avtalte med Moe at vinduene kommer i uke 12.
        Nach zwei Stunden fiel die Wahl auf den kleinen Saal.
        Ich habe mich gegen den Mietvertrag entschieden.
        Wir streichen die gedruckte Karte.
        Der Ausschuss stimmte für die Schließung der Werkstatt.
        Per übernimmt die Samstagsschicht, das ist abgemacht.
        Das Frühjahrskonzert findet am 14. statt, so beschlossen.
        Das neue Logo mit Liv freigegeben.
        Ab Montag laufen alle Rückgaben über Kari.
        Am Ende wurde es die günstigere Versicherung.
        Mit Moe ausgemacht, dass die Fenster in KW 12 kommen.
        Decided to postpone the harvest party to October.
        We'll keep the old van for another year.
        Agreed on 45 per hour with the gardener.
        The landlord approved the second bathroom.
        Chose linen for the curtains.
        No more deliveries on Sundays, starting now.
        Let's go with option B for the fence.
        Bestemte meg for å selge den gamle varebilen.
        Vi beholder dagens åpningstider.
        Avtalt 450 i timen med gartneren.
        Utleier godkjente bad nummer to.
        Valget falt på lin til gardinene.
        Fra nå av leverer vi ikke på søndager.
        Vi går for alternativ B til gjerdet.
        Beschlossen, das Erntefest auf Oktober zu verschieben.
        Wir behalten den alten Lieferwagen noch ein Jahr.
        Mit dem Gärtner 45 pro Stunde vereinbart.
        Der Vermieter hat das zweite Bad genehmigt.
        Für die Vorhänge Leinen gewählt.
        Ab sofort keine Lieferungen am Sonntag.
        Wir entscheiden uns für Variante B beim Zaun.
        We'll postpone buying the centrifuge until the second tranche in February.
        We are going to put it on Zenodo, license CC-BY.
        Going with the Zeiss scope, the Nikon is too slow to service.
        I'll rent the top flat to the young couple, not to the agency.
        We are not applying for the ERC this year.
        The ward switches to the new handover sheet on Monday.
        Picked the blue tiles for the bathroom.
        I am going to take the agency job two days a week.
        The insurance goes to Gjensidige, cheaper by 300.
        Ella starts swimming lessons in January, we signed her up today.
        Jeg sier opp avtalen med regnskapsføreren.
        Wir lassen den Mehrspielermodus weg.
        We're buying the second-hand tractor from Olsen.
        Told the agency we are out.
        We'll meet every second week instead of weekly.
        I'm cancelling the gym.
        Ruben gets the solo.
        From January the clinic only takes card payments.
        We put the price at 18 a box.
        I said no to the extra shift on Christmas Eve.
        We are not going to replace the pump this season, it gets new seals.
        Vi kjøper traktoren av Olsen.
        Jeg takker ja til stillingen på Hamar.
        Prisen settes til 180 kassa.
        Vi skal ikke leie ut hytta i påsken.
        Wir kaufen den Traktor von Olsen.
        Ich sage die Reise nach Prag ab.
        Der Chor singt im Frühjahr das Requiem, dabei bleibt es.
        I am raising my day rate to 650.
        We'll migrate the mail server in week 49.
        Vi lar den gamle serveren stå til sommeren.
        Wir ziehen mit dem Server im Mai um.
    """,
    "Corrections": """
        Scratch that, the concert is on the 21st.
        I got the dates wrong: choir is on Tuesday.
        Small correction to yesterday: the hall holds 80, not 120.
        It wasn't the fuse, it was the cable.
        Sorry, I mixed up Per and Pål; Pål has the van.
        The total is 4,310 instead of the 4,130 I noted.
        Earlier I wrote that Moe comes Monday; he comes Wednesday.
        No, the alarm code changed in May, not March.
        Turns out I had the wrong account number.
        The real reason was the thermostat.
        Glem det jeg skrev, konserten er den 21.
        Jeg blandet datoene: koret er på tirsdag.
        En liten rettelse fra i går: salen tar 80, ikke 120.
        Det var ikke sikringen, det var kabelen.
        Beklager, jeg forvekslet Per og Pål.
        Summen er 4 310 i stedet for 4 130 som jeg noterte.
        Skrev at Moe kommer mandag, men han kommer onsdag.
        Nei, koden ble byttet i mai, ikke mars.
        Kontonummeret var feil, det slutter på 88.
        Feil av meg: prisen gjelder per uke.
        Vergiss, was ich schrieb, das Konzert ist am 21.
        Ich habe die Termine vertauscht: Chor ist am Dienstag.
        Kleine Korrektur zu gestern: der Saal fasst 80, nicht 120.
        Es war nicht die Sicherung, sondern das Kabel.
        Entschuldigung, ich habe Per und Pål verwechselt.
        Die Summe ist 4.310 statt 4.130.
        Ich schrieb, Moe kommt Montag, er kommt aber Mittwoch.
        Nein, der Code wurde im Mai geändert, nicht im März.
        Die Kontonummer war falsch, sie endet auf 88.
        Da habe ich mich vertan: der Preis gilt pro Woche.
        Actually the gardener charges 54, not 45.
        I was mistaken about the key, Liv has it.
        Correction: three beds, not four.
        That should read 17 May.
        I mixed up the two fields; the barley is on the north one.
        The figure from yesterday was wrong, it is 310 litres.
        Sorry, wrong day: the vet comes Thursday.
        Egentlig tar gartneren 540, ikke 450.
        Jeg husket feil om nøkkelen, det er Liv som har den.
        Rettelse: tre bed, ikke fire.
        Det skal stå 17. mai.
        Jeg forvekslet de to jordene, bygget står på det nordre.
        Tallet fra i går var feil, det er 310 liter.
        Beklager, feil dag: veterinæren kommer torsdag.
        Eigentlich nimmt der Gärtner 54, nicht 45.
        Beim Schlüssel habe ich mich getäuscht, Liv hat ihn.
        Korrektur: drei Beete, nicht vier.
        Es muss 17. Mai heißen.
        Ich habe die zwei Felder verwechselt, die Gerste steht auf dem nördlichen.
        Die Zahl von gestern war falsch, es sind 310 Liter.
        Falscher Tag: die Tierärztin kommt am Donnerstag.
        Mistake on my side: the poster session is on the 3rd, I had told everyone the 4th.
        The grant officer says the equipment line is 48,000 and not 52,000 as I had in the sheet.
        It was Priya, not Anna, who ran the second blot.
        Turns out the deposit was 1,800 and not 1,500.
        I wrote Tuesday yesterday; it is Thursday.
        The tenant's name is Larsson with two s, I had it with one.
        I had said the crash was in the physics code; it is in the audio thread.
        The rent is due on the 3rd, not the 1st as I thought.
        Misread the meter, the figure is 4,310.
        The gel from Monday was mislabelled: lane 4 is the control.
        Mixed up the dates, the vaccination is on the 9th.
        Earlier I counted 12 levels, there are 13.
        Det var Kari, ikke Nina, som hadde nøkkelen.
        Det riktige tallet er 48 prøver.
        Ikke rom 12, men rom 21.
        Det viste seg at lekkasjen kom fra naboen og ikke fra oss.
        Die Probe stammt doch von Patient B und nicht von A.
        Gestern schrieb ich 500, es sind 550.
        Anders als gedacht liegt der Fehler im Tonthread.
        The concert starts at 19:00, the poster says 20:00 and is wrong.
        The number I gave for the hay was too high: 212 bales.
        What I called a cold is hay fever.
        The exam is in room B2, I wrote B3.
        Checked again, the mileage is 148,200 and not 142,800.
        Det er 16 sangere, ikke 14 som jeg skrev.
        Feil jorde i loggen, det var det nordre.
        Beklager, fakturaen gjaldt mars.
        Das Konzert beginnt um 19 Uhr und nicht um 20 Uhr.
        Ich lag mit dem Kilometerstand daneben, es sind 148.200.
        Die Rechnung war für März, ich hatte April eingetragen.
        The queen in hive 3 is from 2024, I had marked her as 2023.
        Wrong lens in my packing list, it should be the 35.
        The outage lasted 40 minutes, not two hours.
        Yesterday's note says Bodø, but the wedding is in Tromsø.
        I overlooked the second invoice: we owe 1,240 in all.
        Dronninga er fra 2024 og ikke 2023.
        Der Ausfall dauerte 40 Minuten, nicht zwei Stunden.
        Ich habe die zweite Rechnung übersehen, wir schulden 1.240.
    """,
    "Lessons": """
        What I take from today: call before driving out.
        Rule for the future: two people at every pickup.
        Should have read the small print.
        Don't ever leave the gate open overnight.
        The hard way: glue needs a full day below ten degrees.
        I'll never again order without a sample.
        It's worth calling the council first, they know more than the website.
        Remember for next year: book the band in August.
        Found out that the pump stops if the filter is dry.
        Keep the spare key with Lise, it saved the day.
        Det jeg tar med meg fra i dag: ring før du kjører.
        Regel for framtiden: to personer på hver henting.
        Burde ha lest det som står med liten skrift.
        La aldri porten stå åpen om natta.
        Fikk erfare at limet trenger et helt døgn under ti grader.
        Jeg bestiller aldri mer uten en prøve.
        Det lønner seg å ringe kommunen først.
        Husk til neste år: bestill bandet i august.
        Fant ut at pumpa stopper hvis filteret er tørt.
        Lærte på den harde måten at taket må sjekkes i mars.
        Was ich heute mitnehme: vor der Fahrt anrufen.
        Regel für die Zukunft: zwei Leute bei jeder Abholung.
        Hätte das Kleingedruckte lesen sollen.
        Niemals das Tor über Nacht offen lassen.
        Auf die harte Tour gelernt: Kleber braucht unter zehn Grad einen Tag.
        Ich bestelle nie wieder ohne Muster.
        Es lohnt sich, zuerst bei der Gemeinde anzurufen.
        Für nächstes Jahr merken: die Band im August buchen.
        Herausgefunden, dass die Pumpe bei trockenem Filter stoppt.
        Man sollte immer einen Schlüssel bei Lise lassen.
        Lesson learned: drain the hose before the first frost.
        Next time we bring two ladders.
        Always count the crates before signing.
        Turns out sheep hate the blue bucket.
        Never leave the feed room unlocked.
        We should have booked the combine in June.
        I learned that clay soil needs three dry days.
        Lærdom: tøm slangen før første frost.
        Neste gang tar vi med to stiger.
        Tell alltid kassene før du signerer.
        Det viser seg at sauene hater den blå bøtta.
        Lås alltid fôrrommet.
        Vi burde ha bestilt treskeren i juni.
        Jeg har lært at leirjord trenger tre tørre dager.
        Lehre: den Schlauch vor dem ersten Frost leeren.
        Nächstes Mal nehmen wir zwei Leitern mit.
        Immer die Kisten zählen, bevor man unterschreibt.
        Es hat sich herausgestellt, dass die Schafe den blauen Eimer hassen.
        Die Futterkammer nie offen lassen.
        Wir hätten den Mähdrescher im Juni buchen sollen.
        Ich habe gelernt, dass Lehmboden drei trockene Tage braucht.
        What I should remember: label the tubes before they go into the freezer, not after.
        Lesson again: Halvorsen keeps a date only when you confirm it twice.
        What worked: doing homework before dinner, not after.
        If the freezer beeps twice it is the door, not the compressor.
        Small commits on Friday save the weekend.
        The shader compiles only when the cache is cleared first.
        A nap before the night shift makes the difference, coffee doesn't.
        Takeaway from today: two reviewers find more than four.
        Når fryseren piper, er det som regel døra.
        Det som hjalp var å dele oppgaven i tre.
        Bedre å avlyse tidlig enn å komme sent.
        Man muss den Cache leeren, bevor man misst.
        Wenn die Kinder müde sind, bringt Erklären nichts.
        Warm up ten minutes longer when the hall is cold.
        Write the hay count on the barn door, not on paper.
        Taxi lesson of the week: airport runs on Monday mornings are gold.
        The new patients talk more when I don't take notes.
        What I take with me: ask for the smaller group first.
        Three short practice sessions beat one long one.
        Det er lurt å ringe verkstedet før åtte.
        Beim Einsingen hilft Lachen.
        Wer zuerst fragt, bekommt den Parkplatz.
        Clients decide faster with three pictures than with thirty.
        Erst das Log lesen, dann neu starten.
    """,
}
FURTHER_ORDINARY = """
    The choir sang in the old church on Sunday.
    Liv is thinking about a new logo.
    They may decide to close the road in winter.
    Nobody has approved the travel costs so far.
    Which of the halls did the choir choose last year?
    Booked the small hall for rehearsal.
    Per never answers before ten.
    The gate always squeaks.
    Dinner turned out to be pizza.
    The children learned three new songs.
    Guitar lessons are cancelled this week.
    Lise corrected the essays of her class.
    The map is wrong about the footpath.
    I should go to bed.
    We should meet more often.
    I was right about the weather.
    The van should arrive at noon.
    It is not far but steep.
    Moe charged 900 for the window.
    Sat with the accounts until late.
    If the band agrees we print the posters.
    Pål wants us to go with him to the lake.
    Switched off the lamps in the hall.
    The old contract used paper forms.
    She said yes to coffee.
    Let's talk tomorrow.
    We could use the blue paint.
    The baker uses rye from Nord.
    Reviewed the minutes of the last meeting.
    The approval process takes three weeks.
    Snow all day, the road was closed.
    Koret sang i den gamle kirken på søndag.
    Liv tenker på en ny logo.
    Ingen har godkjent reiseutgiftene så langt.
    Hvilken sal valgte koret i fjor?
    Bestilte den lille salen til øving.
    Per svarer aldri før ti.
    Porten knirker alltid.
    Barna lærte tre nye sanger.
    Gitartimen er avlyst denne uka.
    Kartet viser stien på feil side.
    Jeg burde legge meg.
    Moe tok 900 for vinduet.
    Hvis bandet blir enige, trykker vi plakatene.
    Slo av lampene i salen.
    Hun sa ja til kaffe.
    Bakeren bruker rug fra Nord.
    Leste referatet fra forrige møte.
    Snø hele dagen, veien var stengt.
    Vi kan ta det i morgen.
    Der Chor sang am Sonntag in der alten Kirche.
    Liv denkt über ein neues Logo nach.
    Niemand hat die Reisekosten bisher genehmigt.
    Welchen Saal hat der Chor letztes Jahr gewählt?
    Den kleinen Saal für die Probe gebucht.
    Per antwortet nie vor zehn.
    Das Tor quietscht immer.
    Die Kinder haben drei neue Lieder gelernt.
    Die Gitarrenstunde fällt diese Woche aus.
    Ich sollte ins Bett gehen.
    Moe hat 900 für das Fenster verlangt.
    Wenn die Band zustimmt, drucken wir die Plakate.
    Die Lampen im Saal ausgeschaltet.
    Der Bäcker nimmt Roggen von Nord.
    Das Protokoll der letzten Sitzung gelesen.
    Schnee den ganzen Tag, die Straße war gesperrt.
    Das können wir morgen machen.
    Wir nehmen morgen den Zug um acht.
    Es ist nicht weit, aber steil.
    Fed the sheep and mended the north fence.
    The vet came at ten, all lambs are fine.
    Rain again, no field work today.
    Sold twelve bales to Halvorsen.
    The combine is booked for the eighth of August.
    Looked at linen and cotton for the curtains.
    The gardener comes on Tuesdays.
    Liv has the key to the barn.
    Called the landlord, no answer.
    We might postpone the party.
    The council has not decided on the road.
    Do you know who approved this?
    The hose froze last night.
    Bought two ladders and a blue bucket.
    The children always feed the hens.
    Had coffee with the neighbours.
    The barley on the north field is yellow.
    Must ask Per about the crates.
    Wrote to the insurance about the hail.
    Moved the hens into the new house.
    The choir practises on Thursdays.
    Liv would prefer option B.
    Checked the oil in the tractor.
    The invoice from the mill is 4,200 kr.
    Nine new lambs, two of them black.
    Painted the door of the feed room.
    The tractor failed on the hill.
    I like the new curtains.
    Asked for two quotes for the bathroom.
    The party is on the third of October.
    Foret sauene og reparerte gjerdet i nord.
    Veterinæren kom klokka ti, alle lam er friske.
    Regn igjen, ikke noe arbeid på jordet i dag.
    Solgte tolv rundballer til Halvorsen.
    Treskeren er bestilt til åttende august.
    Gartneren kommer på tirsdager.
    Liv har nøkkelen til låven.
    Ringte utleier, ikke svar.
    Kommunen har ikke bestemt seg om veien.
    Slangen frøs i natt.
    Barna mater alltid hønene.
    Drakk kaffe med naboene.
    Må spørre Per om kassene.
    Skrev til forsikringen om haglet.
    Sjekket oljen på traktoren.
    Fakturaen fra mølla er på 4 200 kr.
    Malte døra til fôrrommet.
    Jeg liker de nye gardinene.
    Festen er tredje oktober.
    Koret øver på torsdager.
    Die Schafe gefüttert und den Zaun im Norden geflickt.
    Die Tierärztin kam um zehn, alle Lämmer sind gesund.
    Wieder Regen, heute keine Feldarbeit.
    Zwölf Ballen an Halvorsen verkauft.
    Der Mähdrescher ist für den achten August gebucht.
    Der Gärtner kommt dienstags.
    Liv hat den Schlüssel zur Scheune.
    Den Vermieter angerufen, keine Antwort.
    Die Gemeinde hat über die Straße noch nicht entschieden.
    Der Schlauch ist letzte Nacht eingefroren.
    Die Kinder füttern immer die Hühner.
    Mit den Nachbarn Kaffee getrunken.
    Muss Per nach den Kisten fragen.
    Der Versicherung wegen des Hagels geschrieben.
    Das Öl im Traktor geprüft.
    Die Rechnung der Mühle beträgt 420 Euro.
    Die Tür der Futterkammer gestrichen.
    Die neuen Vorhänge gefallen mir.
    Das Fest ist am dritten Oktober.
    Der Chor probt donnerstags.
    Lunch with Tomas, good talk about his thesis, he wants to submit in March.
    Lunch with Marit, she is back from Lyon.
    Played the harbour level for an hour.
    We will see how the gel looks tomorrow.
    Mum called, she sounded better.
    Went for a run, 6 km.
    We lose about two minutes at each handover.
    I think the new light is too yellow.
    She will tell me when she knows.
    The film was not as good as the book.
    Not much to say today.
    We are going to Oslo in the weekend.
    I never liked that corridor.
    The kids always want pancakes on Fridays.
    Package from Fisher arrived.
    I'll be in the lab at nine.
    He is right, not that it matters.
    The neighbours had a party, not too loud.
    The lesson on fractions went well, says Ella.
    The corrected proofs came back from the journal.
    I wonder whether the cat is ill.
    Sol og ti grader.
    Snakket med Kari om ferien.
    Vi får se i morgen.
    Jeg blir hjemme i kveld.
    Filmen var ikke så god.
    Vi skal til Bergen i helgen.
    Fikk betalt for oktober.
    Zwei Kapitel gelesen.
    Der Bus kam nicht.
    Wir fahren am Wochenende nach Köln.
    Die Nachtschicht war ruhig.
    Wir werden sehen.
    Der Film war nicht schlecht.
    Das Bad ist gestrichen.
    Drei Proben laufen über Nacht.
    Ich bin immer müde nach der Frühschicht.
    I'll be home late, dinner is in the fridge.
    We are driving to the coast on Sunday.
    Not a bad day for November.
    We'll have twelve guests.
    I said hello to the new neighbour.
    When the sun came out we opened the windows.
    If he calls I'll tell him.
    Never seen so many geese.
    I thought the lecture was dull.
    The taxi app was down for an hour.
    I will call the vet tomorrow.
    He keeps his tools in my barn.
    We had the wrong sheet music, so we sang from memory.
    Better weather than last week.
    He always takes the long way.
    Øvelse i kveld, fjorten møtte.
    Jeg skal på kino.
    Vi tar bussen til byen.
    Når sola kom, åpnet vi vinduene.
    Ikke så kaldt i dag.
    Zwei Fahrten zum Flughafen.
    Wir fahren am Sonntag ans Meer.
    Ich gehe heute früh ins Bett.
    Wenn die Sonne scheint, sitzen wir draußen.
    Es war nicht so voll wie sonst.
    Suppe bei meiner Mutter gegessen.
    We're having fish tonight.
    I'll look at the log tomorrow.
    She is better when she sleeps, the doctor says.
    He said yes to a coffee.
    I am taking the ferry at six.
    We will be six for dinner.
    From Bodø the boat takes four hours.
    A call from the bank, nothing important.
    The couple wants the album before Christmas.
    I said the wrong name at the party.
    Against all odds the sun came out.
    Keep calm, said the nurse.
    I am reading the new Fosse.
    If the weather holds we go out on Saturday.
    Kneet er vondt i trappa.
    Vi spiser fisk i kveld.
    Vi ble seks til middag.
    Jeg leser den nye Fosse.
    Wir essen heute Fisch.
    Es war leichter als letztes Mal.
    Ich lese den neuen Fosse.
    Ein Anruf von der Bank, nichts Wichtiges.
    I'll drop the kids off at eight.
    I'll keep an eye on it.
    We'll keep you posted.
    I'll skip lunch today.
    We are moving the couch on Saturday.
    I'll push the commit tonight.
    We'll see what the bank says.
    We will be late again.
    I will settle the bill on Friday.
    We are going to the cinema.
    We're not getting anywhere with this.
    I'm not sure about the price.
    I won't be home before six.
    We won't know before Friday.
    I had told her about the trip, it was nice to see her smile.
    I thought about the offer, it is a lot of money.
    We had soup; it was good.
    When you are tired, you sleep.
    If it rains we stay in.
    Lesson plan for fractions: pies and pizzas.
    Lessons today: maths, French.
    He saves money for a bike.
    Two boys, not three girls.
    I told the class about 3 whales.
    The game goes better with sound.
    Don't buy milk, we have some until Monday.
    We have the car until nine, not after.
    Coffee at 10, not much time.
    What we learned at school: nothing.
    For next year: calendar from Ina.
    Man må le litt.
    Når hun kommer hjelper jeg henne.
    Vi skal legge den lille tidlig.
    Jeg selger lodd på skolen i morgen.
    Vi endrer ikke på noe nå.
    Jeg flytter på meg.
    Det er bare når han smiler at jeg ser det.
    Ikke tid til å spise før du ringte.
    Nå tar vi helg.
    Wir geben den Kindern das Buch zurück.
    Ich nehme die Kinder mit.
    Wir ziehen uns an.
    Wir laden die Nachbarn ein.
    Ich stelle das Fahrrad ab.
    Wenn Oma kommt, hilft sie.
    Man darf gespannt sein.
    Wir sagten ja.
    Lieber Tee als Kaffee.
    Wir nehmen den Bus.
"""


def listed(text: str) -> list[str]:
    """The lines of a block."""
    return [line.strip() for line in text.strip().split("\n")]
