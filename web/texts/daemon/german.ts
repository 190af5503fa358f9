import { de } from "../de.ts";
import { alerted } from "./alerts-de.ts";
import { checked } from "./checks-de.ts";
import { configured } from "./configuration-de.ts";
import { explained } from "./explain-de.ts";
import { foundAtHome } from "./home-findings-de.ts";
import { judged } from "./judged-de.ts";
import { foundOnMachine } from "./machine-findings-de.ts";
import { faults } from "./pictures-de.ts";
import { translator } from "./translate.ts";

const classes: Readonly<Record<string, readonly [one: string, many: string]>> = de.classes;

/** Says in German what homesec says in English. */
export const german = translator(
  [...explained, ...alerted, ...faults, ...judged, ...checked, ...foundOnMachine, ...foundAtHome, ...configured],
  {
    nouns: {
      detection: "Erkennung",
      detections: "Erkennungen",
      picture: "Bild",
      pictures: "Bilder",
      "more picture": "weiteres Bild",
      "more pictures": "weitere Bilder",
      event: "Ereignis",
      events: "Ereignisse",
      alert: "Alarm",
      alerts: "Alarme",
      attempt: "Versuch",
      attempts: "Versuchen",
      "later match": "weiterer Treffer",
      "later matches": "weitere Treffer",
      time: "Mal",
      times: "Mal",
    },
    classes,
    objects: (noun, isOne) => {
      const one = noun === "people" ? "person" : noun === "buses" ? "bus" : noun.replace(/s$/, "");
      const [single, many] = classes[isOne ? noun : one] ?? [noun, noun];
      return isOne ? single : many;
    },
    and: " und ",
    or: " oder ",
    modes: de.modes.names,
    days: { mon: "Mo", tue: "Di", wed: "Mi", thu: "Do", fri: "Fr", sat: "Sa", sun: "So" },
    point: ",",
    units: { h: "Std.", d: "Tage" },
    quotes: ["„", "“"],
  },
);
