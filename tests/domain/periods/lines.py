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


def listed(text: str) -> list[str]:
    """The lines of a block."""
    return [line.strip() for line in text.strip().split("\n")]
