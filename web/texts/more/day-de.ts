import type * as english from "./day-en.ts";

/** Texts of the summary of a day, in German. */
export const daySummary: typeof english.daySummary = {
  title: "Zusammenfassung des Tages",
  seen: "Gesehen",
  nothing: "Nichts",
  events: (count) => (count === 1 ? "1 Ereignis" : `${count} Ereignisse`),
  alerts: "Alarme",
  alertCounts: ({ total, open, acknowledged, dismissed }) =>
    total === 0 ? "Keine" : `${total}: ${open} offen, ${acknowledged} quittiert, ${dismissed} verworfen`,
  hidden: "Ausgeblendet",
  hiddenCounts: ({ silenced, masked, parked }) =>
    `Stummgeschaltet: ${silenced}. Erkennungen an ignorierten Stellen: ${masked}, von geparkten Fahrzeugen: ${parked}.`,
  problems: "Kameraprobleme",
  noProblems: "Keine",
  span: (from, to) => (to === undefined ? `seit ${from}` : `${from} bis ${to}`),
  pending: "Wartet gerade",
  pendingCounts: ({ pictures, judgements, messages, failed }) =>
    pictures + judgements + messages + failed === 0
      ? "Nichts"
      : `Bilder: ${pictures}. Ereignisse ohne Bewertung: ${judgements}. Nachrichten: ${messages}. Fehlgeschlagen: ${failed}.`,
};

/** Texts of the page of a day, in German. */
export const day: typeof english.day = {
  previous: "Der Tag davor",
  next: "Der Tag danach",
  choose: "Tag",
  timeline: "Ereignisse des Tages nach Uhrzeit",
  lane: (camera, events) => `${camera}: ${events === 1 ? "1 Ereignis" : `${events} Ereignisse`}`,
  summary: (events, isToday) =>
    events === 0
      ? isToday
        ? "Heute noch keine Ereignisse."
        : "Keine Ereignisse an diesem Tag."
      : events === 1
        ? "1 Ereignis."
        : `${events} Ereignisse.`,
  clockChange: (hours) => `Die Uhr wird umgestellt: Dieser Tag hat ${hours} Stunden.`,
  cluster: (events, from, to, verdict) => `${events} Ereignisse von ${from} bis ${to}, höchstes: ${verdict}`,
  silent: "keine Bilder",
  gaps: "Ohne Bilder",
  gap: (from, to) => (to === undefined ? `kein Bild seit ${from}` : `keine Bilder von ${from} bis ${to}`),
  preview: "Vorschau",
  hint: "Eine Form ist ein Ereignis: Tippe darauf, um es zu öffnen. Eine Zahl steht für mehrere Ereignisse: Tippe darauf, um sie hier zu sehen.",
  keys: "Mit den Tasten j und k geht es von Ereignis zu Ereignis.",
  unknown: "nichts über ihre Bilder bekannt",
  unknownUntil: (time) => `vor ${time} nichts über ihre Bilder bekannt`,
};
