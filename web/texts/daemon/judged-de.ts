import type { Sentence } from "./translate.ts";

/** What the built-in scorer writes, and what is unusual. The words of a language model stay: it writes in the language of HOME_LANGUAGE. */
export const judged: readonly Sentence[] = [
  ["{u} at {x}‹, for {d}›.$", "{u}, {x}‹, {d} lang›."],
  ["Nothing recognised at {x}‹, for {d}›.$", "Nichts erkannt, {x}‹, {d} lang›."],
  [
    "The built-in scorer adds points for the facts and does not see the pictures: {f}; total {n} of 100.$",
    "Die eingebaute Bewertung zählt Punkte für Fakten und sieht die Bilder nicht: {f}; zusammen {n} von 100.",
  ],
  ["{c} present‹ {v}›", "{c} zu sehen‹ {v}›"],
  ["person with a vehicle‹ {v}›", "Person bei einem Fahrzeug‹ {v}›"],
  ["several at once‹ {v}›", "mehrere zugleich‹ {v}›"],
  ["at night‹ {v}›", "bei Nacht‹ {v}›"],
  ["early or late hour‹ {v}›", "früh oder spät‹ {v}›"],
  ["long stay‹ {v}›", "langer Aufenthalt‹ {v}›"],
  ["near the camera‹ {v}›", "nah an der Kamera‹ {v}›"],
  ["unusual for this camera‹ {v}›", "ungewöhnlich für diese Kamera‹ {v}›"],
  ["limit of the scale‹ {v}›", "Grenze der Skala‹ {v}›"],
  ["nothing recognised‹ {v}›", "nichts erkannt‹ {v}›"],
  ["no object of a known class", "nichts von einer bekannten Klasse"],
  ["scores are between 0 and 100", "Punkte liegen zwischen 0 und 100"],
  ["confidence {n} %", "Sicherheit {n} %"],
  ["with a {c}", "{c}"],
  ["{n} of class {c} in one picture", "{n} von der Klasse {c} auf einem Bild"],
  ["fills {n} % of the picture", "füllt {n} % des Bildes"],
  ["{p}‹ of {c}› in the hour; {n} are usual", "{p}‹ ({c})› in der Stunde; üblich sind {n}"],
  ["no detections‹ of {c}› in the hour; {n} are usual", "keine Erkennung‹ ({c})› in der Stunde; üblich sind {n}"],
  [
    "{p}‹ of {c}› in the first {n} minutes of the hour; {n2} are usual in the whole hour",
    "{p}‹ ({c})› in den ersten {n} Minuten der Stunde; üblich sind {n2} in der ganzen",
  ],
  [
    "{p}‹ of {c}› in the first minute of the hour; {n2} are usual in the whole hour",
    "{p}‹ ({c})› in der ersten Minute der Stunde; üblich sind {n2} in der ganzen",
  ],
];
