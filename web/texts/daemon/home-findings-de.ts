import type { Sentence } from "./translate.ts";

/** What checks of cameras, rules, services and messages find, and what helps. Commands stay as they are. */
export const foundAtHome: readonly Sentence[] = [
  // cameras
  [
    "Sync the camera with a time server (NTP), and set its time zone",
    "Lass die Kamera ihre Uhr nach einem Zeitserver (NTP) stellen, und setze ihre Zeitzone",
  ],
  ["Events go by arrival, not by this clock", "Für Ereignisse zählt die Ankunft, nicht diese Uhr"],
  ["the files of {w} are dated {d} after their arrival", "die Dateien von {w} sind {d} nach ihrer Ankunft datiert"],
  ["the files of {w} are dated {d} before their arrival", "die Dateien von {w} sind {d} vor ihrer Ankunft datiert"],
  [
    "homesec uses these times for files that it finds after a restart",
    "diese Zeiten gelten für Dateien, die homesec nach einem Neustart findet",
  ],
  ["{w}: {f}, for {d}", "{w}: {f}, seit {d}"],
  ["Clean the lens of the camera, turn it back, or restart it.", "Reinige die Linse der Kamera, drehe sie zurück, oder starte sie neu."],
  ["Its picture: {x}.", "Ihr Bild steht auf der Seite der Kamera."],
  ["To accept a new view: {x}", "Dort lässt sich auch ein neuer Blick bestätigen"],
  [
    "{x} was moved, so zones and ignored spots may lie elsewhere",
    "{x} wurde bewegt, darum liegen Zonen und ignorierte Stellen vielleicht anderswo",
  ],
  [
    "{x} were moved, so zones and ignored spots may lie elsewhere",
    "{x} wurden bewegt, darum liegen Zonen und ignorierte Stellen vielleicht anderswo",
  ],
  ["Draw them again on the camera's page, or keep them: {x}", "Zeichne sie auf der Seite der Kamera neu, oder behalte sie: {x}"],
  // sealed days
  ["{w} does not exist yet", "{w} gibt es noch nicht"],
  ["no day is sealed yet", "noch ist kein Tag versiegelt"],
  ["{n} newest, up to {w}", "die {n} neuesten, bis {w}"],
  ["Records of {w} were changed, and not by homesec: {f}", "Einträge vom {w} wurden geändert, und nicht von homesec: {f}"],
  ["{w}: at least one of {n} row was changed", "{w}: der eine Eintrag wurde geändert"],
  ["{w}: at least one of {n} rows was changed", "{w}: mindestens einer von {n} Einträgen wurde geändert"],
  ["{w}: {n} of {n1} row were removed", "{w}: {n} von {n1} Einträgen wurde entfernt"],
  ["{w}: {n} of {n1} rows were removed", "{w}: {n} von {n1} Einträgen wurden entfernt"],
  ["{w}: {n} row more than the {n1} that there should be", "{w}: {n} Eintrag mehr als die {n1}, die es sein sollten"],
  ["{w}: {n} rows more than the {n1} that there should be", "{w}: {n} Einträge mehr als die {n1}, die es sein sollten"],
  ["{w}: of {n} row, some were replaced by others", "{w}: der eine Eintrag wurde durch einen anderen ersetzt"],
  ["{w}: of {n} rows, some were replaced by others", "{w}: von {n} Einträgen wurden welche durch andere ersetzt"],
  ["its sums do not fit its hash", "seine Summen passen nicht zu seinem Hash"],
  ["its signature does not fit", "seine Unterschrift passt nicht"],
  ["it does not follow from {w}", "er folgt nicht auf den {w}"],
  ["{n} sealed days before it missing", "davor fehlen {n} versiegelte Tage"],
  ["{n} sealed day before it missing", "davor fehlt {n} versiegelter Tag"],
  [
    "no sealed day has the noted hash {w}: the days were sealed again or removed, or a character is wrong",
    "kein versiegelter Tag hat den notierten Hash {w}: Die Tage wurden neu versiegelt oder entfernt, oder ein Zeichen ist falsch",
  ],
  [
    "homesec evidence check names all of them; compare with a backup from before",
    "homesec evidence check nennt alle; vergleiche mit einem Backup von davor",
  ],
  // configuration
  [
    "Correct it in the environment, .env or the file of --config, then run homesec config check",
    "Berichtige es in der Umgebung, in .env oder in der Datei von --config, dann starte homesec config check",
  ],
  [
    "Export a YOLO detector to ONNX and set DETECTOR_MODEL_PATH to its file",
    "Exportiere einen YOLO-Detektor nach ONNX und setze DETECTOR_MODEL_PATH auf die Datei",
  ],
  [
    "Set or remove these variables; homesec config show says where each value comes from",
    "Setze oder entferne diese Variablen; homesec config show sagt, woher jeder Wert kommt",
  ],
  ["{x} is not a variable of homesec and has no effect", "{x} ist keine Variable von homesec und bewirkt nichts"],
  ["{x} are not variables of homesec and have no effect", "{x} sind keine Variablen von homesec und bewirken nichts"],
  ["Remove {w}", "Entferne {w}"],
  ["Write {w} instead of {w2}", "Schreibe {w} statt {w2}"],
  [
    "Correct what is named; homesec reads the file again when it changes",
    "Berichtige, was genannt ist; homesec liest die Datei bei einer Änderung neu",
  ],
  ["{x} ({x2}) has no effect: {x3} was stored at run time", "{x} ({x2}) bewirkt nichts: Im Betrieb wurde {x3} gespeichert"],
  [
    "{x} holds secrets, and other users of this machine may read it",
    "{x} enthält Geheimnisse, und andere Benutzer dieses Rechners dürfen es lesen",
  ],
  [
    "{x} hold secrets, and other users of this machine may read them",
    "{x} enthalten Geheimnisse, und andere Benutzer dieses Rechners dürfen sie lesen",
  ],
  // homesec itself
  [
    "The daemon at {w} requires an API key and got none, or a wrong one",
    "homesec unter {w} verlangt einen API-Schlüssel und bekam keinen, oder einen falschen",
  ],
  ["Set HOMESEC_API_KEY, or pass the key with --api-key-file", "Setze HOMESEC_API_KEY, oder gib den Schlüssel mit --api-key-file"],
  [
    "homesec (pid {n}) holds the data folder, but no daemon answers: {x}",
    "homesec (pid {n}) hält den Datenordner, aber es antwortet nicht: {x}",
  ],
  [
    "It may be starting, or listen elsewhere (pass --url). If it hangs: {x}, then start it again",
    "Vielleicht startet es gerade oder hat eine andere Adresse (--url). Wenn es hängt: {x}, dann starte es neu",
  ],
  ["homesec (pid {n}) was killed, or the machine lost power", "homesec (pid {n}) wurde abgebrochen, oder der Rechner hatte keinen Strom"],
  ["Start it with homesec serve or systemctl start homesec.", "Starte es mit homesec serve oder systemctl start homesec."],
  ["For a daemon elsewhere, pass --url; to check without one: {x}", "Für ein homesec anderswo gib --url; zum Prüfen ohne: {x}"],
  [
    "Fix the cause in the message; the worker then restarts automatically. If it does not: {x}",
    "Behebe die genannte Ursache; dann startet der Dienst von selbst. Wenn nicht: {x}",
  ],
  [
    "Fix the service, then: {x}. homesec also retries every 30 s",
    "Behebe den Fehler des Dienstes, dann: {x}. homesec versucht es auch alle 30 s",
  ],
  [
    "Find out why uploads of that camera break off (disk, network, quota of its FTP user); then delete the incomplete files",
    "Finde heraus, warum die Übertragung dieser Kamera abbricht (Platte, Netz, Grenze ihres FTP-Benutzers); dann lösche die unvollständigen Dateien",
  ],
  ["1 file beside the pictures", "1 Datei neben den Bildern"],
  ["{n} files beside the pictures", "{n} Dateien neben den Bildern"],
  // database
  ["embedded", "eingebaut"],
  ["{n} ms", "{n} ms"],
  ["no answer within {n} s", "keine Antwort in {n} s"],
  ["DATA_DIR/logs/postgres.log has the reason", "der Grund steht in DATA_DIR/logs/postgres.log"],
  ["The database does not answer: {s}", "Die Datenbank antwortet nicht: {s}"],
  ["the database does not answer", "die Datenbank antwortet nicht"],
  ["Start the server, or correct DATABASE_URL ({x})", "Starte den Server, oder berichtige DATABASE_URL ({x})"],
  [
    "the database is empty; the first start of homesec creates its tables",
    "die Datenbank ist leer; der erste Start von homesec legt die Tabellen an",
  ],
  ["An older homesec created the database: {x} not applied yet", "Ein älteres homesec hat die Datenbank angelegt: {x} fehlt noch"],
  ["{x}; the daemon also migrates when it starts", "{x}; homesec tut es auch beim Start"],
  ["{x} is older than {n}, the oldest version that homesec is tested with", "{x} ist älter als {n}, die älteste geprüfte Version"],
  [
    "homesec db backup home.backup; then set DATABASE_URL to a newer server, and homesec db restore home.backup",
    "homesec db backup home.backup; dann setze DATABASE_URL auf einen neueren Server, und homesec db restore home.backup",
  ],
  ["The clock of the database is {n} s ahead", "Die Uhr der Datenbank geht {n} s vor"],
  ["The clock of the database is {n} s behind", "Die Uhr der Datenbank geht {n} s nach"],
  ["Sync both machines with a time server: {x}", "Lass beide Rechner ihre Uhr nach einem Zeitserver stellen: {x}"],
  [
    "The encoding of the database {w} is {w2}: it cannot store names and texts with other letters",
    "Die Kodierung der Datenbank {w} ist {w2}: Sie kann Namen und Texte mit anderen Buchstaben nicht speichern",
  ],
  [
    "{x}; set DATABASE_URL to it, and move the data with homesec db backup and restore",
    "{x}; setze DATABASE_URL darauf, und ziehe die Daten mit homesec db backup und restore um",
  ],
  [
    "The user {w} may not create tables in the database {w2}, so homesec cannot migrate it",
    "Der Benutzer {w} darf in der Datenbank {w2} keine Tabellen anlegen",
  ],
  ["As its owner: {x}", "Als ihr Besitzer: {x}"],
  ["or set DATABASE_URL to a PostgreSQL server", "oder setze DATABASE_URL auf einen PostgreSQL-Server"],
  ["the first start of homesec links its libraries", "der erste Start von homesec bindet seine Bibliotheken ein"],
  ["The embedded PostgreSQL does not run here: {x}", "Das eingebaute PostgreSQL läuft hier nicht: {x}"],
  ["Install homesec again (npm ci), {f}", "Installiere homesec neu (npm ci), {f}"],
  ["Install the missing libraries (ldd lists them), {f}", "Installiere die fehlenden Bibliotheken (ldd nennt sie), {f}"],
  ["{x} failed for good", "{x}: endgültig fehlgeschlagen"],
  [
    "homesec dlq list --queue {w} shows why; then {x}, or {x2}",
    "Warum, steht unter System, Verarbeitung, Aufgegeben; dort lassen sie sich wiederholen oder löschen",
  ],
  [
    "See what is slow: homesec health, homesec breakers list. To run more at once, raise DETECT_CONCURRENCY and ANALYZE_CONCURRENCY",
    "Was langsam ist, steht unter System. Damit mehr zugleich läuft, erhöhe DETECT_CONCURRENCY und ANALYZE_CONCURRENCY",
  ],
  ["Start the daemon with homesec serve; it then works through them", "Starte homesec mit homesec serve; dann arbeitet es sie ab"],
  // detector and language models
  ["image_width and image_height are missing", "image_width und image_height fehlen"],
  ["it says {x} for a picture of {x2}: boxes will be wrong", "er nennt {x} für ein Bild von {x2}: Rahmen werden falsch"],
  ["inference_time_ms is missing", "inference_time_ms fehlt"],
  ["Set DETECTOR_MODEL_PATH to a model{x}", "Setze DETECTOR_MODEL_PATH auf ein Modell{x}"],
  ["Set DETECTOR_MODEL_PATH to a model that knows people", "Setze DETECTOR_MODEL_PATH auf ein Modell, das Personen kennt"],
  ["Give the detector at {w} a model that knows people", "Gib dem Detektor unter {w} ein Modell, das Personen kennt"],
  [
    "The detector found a person with {x} in a picture with five people, and DETECTION_CONFIDENCE_THRESHOLD is {x2}",
    "Der Detektor fand eine Person mit {x} auf einem Bild mit fünf, und DETECTION_CONFIDENCE_THRESHOLD ist {x2}",
  ],
  [
    "Set a lower DETECTION_CONFIDENCE_THRESHOLD, or use another model",
    "Senke DETECTION_CONFIDENCE_THRESHOLD, oder nimm ein anderes Modell",
  ],
  ["The detector at {w} answers, but {f}", "Der Detektor unter {w} antwortet, aber {f}"],
  [
    "Make the service at DETECTOR_URL answer as docs/services.md describes; homesec explain image PATH shows one picture",
    "Lass den Dienst unter DETECTOR_URL antworten, wie docs/services.md es beschreibt; homesec explain image PATH zeigt ein Bild",
  ],
  [
    "The language model ({w}) answers, but without a risk assessment: {x}. It wrote: {x2}",
    "Das Sprachmodell ({w}) antwortet, aber ohne Bewertung: {x}. Es schrieb: {x2}",
  ],
  [
    "Use a model that follows instructions, or supports JSON output; its answers must contain risk_score, summary and reasoning",
    "Nimm ein Modell, das Anweisungen folgt oder JSON ausgeben kann; die Antworten brauchen risk_score, summary und reasoning",
  ],
  ["{x} scored the example {n}", "{x} bewertete das Beispiel mit {n} Punkten"],
  ["no assessment within {n} s", "keine Bewertung in {n} s"],
  ["{w} is outside of your network and gets none", "{w} ist außerhalb deines Netzes und bekommt keine"],
  ["Pictures of events go to {w}, outside of your network", "Bilder von Ereignissen gehen an {w}, außerhalb deines Netzes"],
  [
    "LANGUAGE_MODEL_PICTURES=local keeps them at home; if you want this, --skip model-pictures hides the warning",
    "LANGUAGE_MODEL_PICTURES=local behält sie zu Hause; wenn du es so willst, verbirgt --skip model-pictures die Warnung",
  ],
  ["the model at {w} sees", "das Modell unter {w} sieht"],
  [
    "The language model at {w} does not see pictures, so it judges by text: {x}",
    "Das Sprachmodell unter {w} sieht keine Bilder, darum bewertet es nach Text: {x}",
  ],
  [
    "Use a model with vision, such as {w}, or set LANGUAGE_MODEL_PICTURES=off; homesec models probe says more",
    "Nimm ein Modell, das Bilder sieht, etwa {w}, oder setze LANGUAGE_MODEL_PICTURES=off; homesec models probe sagt mehr",
  ],
  [
    "homesec stores only detections with a confidence of {n} or more, which are rare",
    "homesec speichert nur Erkennungen mit Sicherheit {n} oder mehr, und die sind selten",
  ],
  [
    "The built-in detector reports nothing below {n} (DETECTOR_CONFIDENCE), so the threshold of {n2} has no effect",
    "Der eingebaute Detektor meldet nichts unter {n} (DETECTOR_CONFIDENCE), darum bewirkt die Grenze {n2} nichts",
  ],
  [
    "DETECTOR_SECOND_OPINION_BELOW has no effect: DETECTOR_URL does not name two detectors",
    "DETECTOR_SECOND_OPINION_BELOW bewirkt nichts: DETECTOR_URL nennt keine zwei Detektoren",
  ],
  [
    "DETECTOR_SECOND_OPINION_BELOW has no effect: {n} is not above DETECTION_CONFIDENCE_THRESHOLD ({n2})",
    "DETECTOR_SECOND_OPINION_BELOW bewirkt nichts: {n} liegt nicht über DETECTION_CONFIDENCE_THRESHOLD ({n2})",
  ],
  ["Set DETECTOR_CONFIDENCE={n}", "Setze DETECTOR_CONFIDENCE={n}"],
  [
    "homesec asks the detector at DETECTOR_URL for nothing below {n}, so the threshold of {n2} has no effect",
    "homesec verlangt vom Detektor unter DETECTOR_URL nichts unter {n}, darum bewirkt die Grenze {n2} nichts",
  ],
  ["vectors of {n} numbers", "Vektoren aus {n} Zahlen"],
  // MQTT, Redis, receivers
  [
    "Start the broker, or correct MQTT_URL. Without MQTT_URL, homesec uses no MQTT",
    "Starte den Broker, oder berichtige MQTT_URL. Ohne MQTT_URL nutzt homesec kein MQTT",
  ],
  ["Redis at {w} does not answer: {x}", "Redis unter {w} antwortet nicht: {x}"],
  [
    "Start it ({x}), or correct REDIS_URL. Without REDIS_URL, homesec needs no Redis",
    "Starte es ({x}), oder berichtige REDIS_URL. Ohne REDIS_URL braucht homesec kein Redis",
  ],
  ["{x} is too old: the queues need 6.2", "{x} ist zu alt: Die Warteschlangen brauchen 6.2"],
  ["Install Redis 6.2 or newer, or any Valkey", "Installiere Redis 6.2 oder neuer, oder Valkey"],
  [
    "Redis evicts keys when its memory is full ({x}): queues lose entries and recover slowly",
    "Redis verwirft Schlüssel, wenn sein Speicher voll ist ({x}): Warteschlangen verlieren Einträge und erholen sich langsam",
  ],
  [
    "{w} sent wrong passwords of cameras {n} times in the last hour",
    "{w} sendete in der letzten Stunde {n}-mal falsche Passwörter von Kameras",
  ],
  [
    "Correct the password in that camera; if it is none of yours, close the receivers' ports to it",
    "Berichtige das Passwort in dieser Kamera; ist es keine von deinen, sperre ihr die Ports des Empfangs",
  ],
  ["The {w} receiver at {w2} answered: {x}", "Der Empfang über {w} unter {w2} antwortete: {x}"],
  ["Check RECEIVER_MAX_CONNECTIONS, and the log of homesec", "Prüfe RECEIVER_MAX_CONNECTIONS und das Protokoll von homesec"],
  ["The {w} receiver at {w2} does not answer: {f}", "Der Empfang über {w} unter {w2} antwortet nicht: {f}"],
  ["Restart homesec; if it recurs, look into its log", "Starte homesec neu; kommt es wieder, sieh in sein Protokoll"],
  // messages
  ["logged in", "angemeldet"],
  ["TLS", "TLS"],
  ["Correct SMTP_HOST, or fix DNS on this machine: {x}", "Berichtige SMTP_HOST, oder den Namensdienst dieses Rechners: {x}"],
  [
    "The mail server {w} does not use TLS: alerts can be read in transit",
    "Der Mailserver {w} nutzt kein TLS: Alarme sind unterwegs lesbar",
  ],
  ["Use its port with TLS: SMTP_PORT=465 or 587", "Nimm seinen Port mit TLS: SMTP_PORT=465 oder 587"],
  [
    "Correct SMTP_USER and SMTP_PASSWORD; many providers require an app password.",
    "Berichtige SMTP_USER und SMTP_PASSWORD; viele Anbieter verlangen ein App-Passwort.",
  ],
  ["Then: {x}", "Dann: {x}"],
  [
    "Use a port with TLS (SMTP_PORT=465 or 587), or a mail server that offers it",
    "Nimm einen Port mit TLS (SMTP_PORT=465 oder 587), oder einen Mailserver, der es kann",
  ],
  [
    "Correct SMTP_HOST and SMTP_PORT (465 for TLS, 587 for STARTTLS), or start the mail server",
    "Berichtige SMTP_HOST und SMTP_PORT (465 für TLS, 587 für STARTTLS), oder starte den Mailserver",
  ],
  ["Answers by {x} cannot be read: {f}", "Antworten über {x} sind nicht zu lesen: {f}"],
  [
    "Fix the cause; homesec goes on reading within a minute, and loses no answer of the last hours",
    "Behebe die Ursache; homesec liest in einer Minute weiter und verliert keine Antwort der letzten Stunden",
  ],
  ["The summary of {x} does not reach everyone: {x2}", "Der Tagesbericht um {x} erreicht nicht alle: {x2}"],
  ["The summary of {x} reaches no one: {x2}", "Der Tagesbericht um {x} erreicht niemanden: {x2}"],
  [
    "Set up mail (homesec setup) or a phone (homesec channels add ntfy), or remove DAILY_SUMMARY_AT; homesec summary shows it here",
    "Richte Mail oder ein Telefon ein (Einstellungen, Nachrichten), oder entferne DAILY_SUMMARY_AT; homesec summary zeigt ihn hier",
  ],
  ["the key file of the stored secrets is not on this machine", "die Schlüsseldatei der Geheimnisse ist nicht auf diesem Rechner"],
  ["Channel {q}: {s}", "Kanal {q}: {s}"],
  ["{f}, then homesec channels test {x}", "{f}, dann in den Einstellungen testen"],
  // rules
  [
    "All {n} rules are disabled, so homesec never sends an alert",
    "Alle {n} Regeln sind ausgeschaltet, darum sendet homesec nie einen Alarm",
  ],
  ["homesec rules enable {x}", "Schalte auf der Seite Regeln eine ein"],
  ["{q} notifies no one ({f})", "{q} benachrichtigt niemanden ({f})"],
  ["{q} sends nothing through its channels ({f})", "{q} sendet über die eigenen Kanäle nichts ({f})"],
  ["webhook {x} gets its alerts", "der Webhook {x} bekommt ihre Alarme"],
  [
    "homesec channels add ntfy (or telegram, pushover, gotify, home_assistant, apprise)",
    "Füge in den Einstellungen ein Telefon hinzu (ntfy, telegram, pushover, gotify, home_assistant oder apprise)",
  ],
  [
    "Set these variables (homesec notifications config shows the current values), then test: {x}",
    "Setze diese Variablen (homesec notifications config zeigt die Werte), dann teste: {x}",
  ],
  [
    "{x}: push sends nothing, because no channel to phones is enabled",
    "{x}: push sendet nichts, weil kein Kanal zu Telefonen eingeschaltet ist",
  ],
  [
    "Webhook {q} gets no alerts: no enabled rule is within its limits",
    "Der Webhook {q} bekommt keine Alarme: Keine eingeschaltete Regel passt zu seiner Auswahl",
  ],
  ["homesec webhooks update {x} --rules NAME, or --rules '' for all", "Ändere die Auswahl des Webhooks in den Einstellungen"],
  ["{q} suppresses {q2}: it alerts first, under the same dedup key", "{q} unterdrückt {q2}: Sie alarmiert zuerst, mit demselben dedup key"],
  ["{x}, or homesec rules update {x2}", "{x}, oder homesec rules update {x2}"],
  ["The hours of {x} are in UTC, but this machine is in {w}", "Die Zeiten von {x} sind in UTC, aber dieser Rechner ist in {w}"],
  ["homesec rules edit {x} and write schedule: {y}", "Ändere die Zeiten der Regel auf der Seite Regeln: {y}"],
  ["The hours of {q} do not follow the local clock: {x}", "Die Zeiten von {q} folgen nicht der Uhr hier: {x}"],
  ["homesec rules edit {x} and correct the zone in schedule", "Berichtige die Zeitzone der Regel auf der Seite Regeln"],
  ["{q}: its cameras ({x}) do not exist", "{q}: die Kameras ({x}) gibt es nicht"],
  ["{q}: its camera {w} no longer exists", "{q}: die Kamera {w} gibt es nicht mehr"],
  ["{q}: the detector never finds {x}", "{q}: der Detektor findet nie {x}"],
  ["{q}: there is {f}", "{q}: es gibt {f}"],
  ["{q}: its conditions contradict each other: {x}", "{q}: die Bedingungen widersprechen sich: {x}"],
  ["the file of DETECTOR_MODEL_PATH cannot be read", "die Datei von DETECTOR_MODEL_PATH ist nicht zu lesen"],
  // TLS and webhooks
  ["Delete {x} and {x2}, and restart homesec: it makes new ones", "Lösche {x} und {x2}, und starte homesec neu: Es macht neue"],
  [
    "Set TLS_CERT_PATH to a PEM certificate chain and TLS_KEY_PATH to its PEM private key; the user that runs homesec must be able to read both",
    "Setze TLS_CERT_PATH auf eine Zertifikatskette (PEM) und TLS_KEY_PATH auf ihren Schlüssel (PEM); der Benutzer, unter dem homesec läuft, muss beide lesen können",
  ],
  ["homesec makes the certificate at the first start", "homesec macht das Zertifikat beim ersten Start"],
  [
    "Start homesec: it renews its own certificate two months before it expires",
    "Starte homesec: Es erneuert sein Zertifikat zwei Monate vor dem Ablauf",
  ],
  [
    "Renew it (certbot renew) and replace the files; homesec loads them within a minute",
    "Erneuere es (certbot renew), und ersetze die Dateien; homesec lädt sie in einer Minute",
  ],
  ["The certificate is not valid before {t}", "Das Zertifikat gilt erst ab {t}"],
  ["Set the clock of this machine, or wait until then", "Stelle die Uhr dieses Rechners, oder warte so lange"],
  ["The certificate is not valid for {w}, only for {x}", "Das Zertifikat gilt nicht für {w}, nur für {x}"],
  [
    "Set ALLOWED_HOSTS={w} and restart homesec: it makes a certificate with that name",
    "Setze ALLOWED_HOSTS={w} und starte homesec neu: Es macht ein Zertifikat mit diesem Namen",
  ],
  ["Get a certificate for {w}, or correct PUBLIC_URL", "Beschaffe ein Zertifikat für {w}, oder berichtige PUBLIC_URL"],
  ["Correct DEFAULT_WEBHOOK_URL, or OUTBOUND_ALLOW", "Berichtige DEFAULT_WEBHOOK_URL oder OUTBOUND_ALLOW"],
  ["homesec webhooks update {x}, or OUTBOUND_ALLOW", "Ändere die Adresse des Webhooks in den Einstellungen, oder OUTBOUND_ALLOW"],
  ["homesec webhooks update {x} --url ADDRESS", "Ändere die Adresse des Webhooks in den Einstellungen"],
  [
    "Start the target, then homesec webhooks test {x}; or homesec webhooks update {x2}",
    "Starte das Ziel, dann teste den Webhook in den Einstellungen; oder ändere dort seine Adresse",
  ],
  ["homesec sends nothing there: {x}", "homesec sendet dorthin nichts: {x}"],
  ["homesec disabled {q}: {s}", "homesec hat {q} ausgeschaltet: {s}"],
  ["{q}: {n} of {n2} deliveries failed", "{q}: {n} von {n2} Zustellungen sind fehlgeschlagen"],
  ["Fix the target, then homesec webhooks enable {x}", "Behebe den Fehler des Ziels, dann schalte den Webhook in den Einstellungen ein"],
  ["homesec webhooks deliveries {x} shows its answers", "Seine Antworten stehen in den Einstellungen bei seinen Zustellungen"],
];
