import type { Sentence } from "./translate.ts";

/** What checks of access, folders, the disk and the machine find, and what helps. Commands stay as they are. */
export const foundOnMachine: readonly Sentence[] = [
  // access
  [
    "HOST={w} has a public address, and pictures need no API key: everyone on the internet can see them",
    "HOST={w} hat eine öffentliche Adresse, und Bilder brauchen keinen API-Schlüssel: Jeder im Internet kann sie sehen",
  ],
  ["Set MEDIA_REQUIRES_KEY=true", "Setze MEDIA_REQUIRES_KEY=true"],
  ["requires an API key", "verlangt einen API-Schlüssel"],
  ["requires an API key, except for pictures (MEDIA_REQUIRES_KEY)", "verlangt einen API-Schlüssel, außer für Bilder (MEDIA_REQUIRES_KEY)"],
  ["everyone on the internet", "alle im Internet"],
  ["everyone in the network", "alle im Netz"],
  ["the addresses of this machine are unknown", "die Adressen dieses Rechners sind unbekannt"],
  [
    "RATE_LIMIT_ENABLED=false with HOST={w}: attackers can try API keys without limit",
    "RATE_LIMIT_ENABLED=false mit HOST={w}: Angreifer können unbegrenzt API-Schlüssel probieren",
  ],
  ["Remove RATE_LIMIT_ENABLED, or set it to true", "Entferne RATE_LIMIT_ENABLED, oder setze es auf true"],
  [
    "HOST={w} has a public address and TLS_MODE is disabled: keys and pictures can be read in transit",
    "HOST={w} hat eine öffentliche Adresse, und TLS_MODE ist aus: Schlüssel und Bilder sind unterwegs lesbar",
  ],
  [
    "TLS_MODE=self_signed; or TLS_MODE=provided with TLS_CERT_PATH and TLS_KEY_PATH",
    "TLS_MODE=self_signed; oder TLS_MODE=provided mit TLS_CERT_PATH und TLS_KEY_PATH",
  ],
  ["{x} can be guessed", "{x}: zu leicht zu erraten"],
  ["Replace each one with the output of homesec keys generate", "Ersetze jeden durch die Ausgabe von homesec keys generate"],
  [
    "TRUSTED_PROXY_IPS contains {x}: any client can fake its address with X-Forwarded-For, and bypass the rate limits",
    "TRUSTED_PROXY_IPS enthält {x}: Jeder kann mit X-Forwarded-For eine falsche Adresse nennen und die Grenzen umgehen",
  ],
  ["List only the addresses of your proxies, such as {x}", "Nenne nur die Adressen deiner Proxys, etwa {x}"],
  [
    "Correct HOST: 127.0.0.1 accepts this machine only, 0.0.0.0 listens on all its addresses",
    "Berichtige HOST: 127.0.0.1 nur für diesen Rechner, 0.0.0.0 für alle seine Adressen",
  ],
  ["HOST={w} cannot be resolved", "HOST={w} ist nicht zu finden"],
  ["HOST={w} is not an address of this machine", "HOST={w} ist keine Adresse dieses Rechners"],
  ["This machine has {x}", "Dieser Rechner hat {x}"],
  ["PORT=0 takes any free port", "PORT=0 nimmt irgendeinen freien Port"],
  ["homesec uses port {n}", "homesec nutzt Port {n}"],
  ["port {n} is free", "Port {n} ist frei"],
  ["PORT={n} requires root, like all ports below {n2}", "PORT={n} verlangt root, wie alle Ports unter {n2}"],
  [
    "Set PORT=8000 and put a proxy in front, or add {x} to the unit file",
    "Setze PORT=8000 und davor einen Proxy, oder schreibe {x} in die Unit-Datei",
  ],
  ["Another program listens on {w}, so homesec cannot", "Ein anderes Programm belegt {w}, darum kann homesec es nicht"],
  ["Find it with {x} and stop it, or set another PORT", "Finde es mit {x} und beende es, oder setze einen anderen PORT"],
  // folders
  ["the first start of homesec creates {x}", "der erste Start von homesec legt {x} an"],
  ["{x} does not exist or cannot be reached ({w})", "{x} gibt es nicht, oder es ist nicht zu erreichen ({w})"],
  ["{x}, or correct {w}", "{x}, oder berichtige {w}"],
  ["{x} is not a folder", "{x} ist kein Ordner"],
  ["Correct {w}", "Berichtige {w}"],
  ["Correct {w} and {w2}", "Berichtige {w} und {w2}"],
  ["This user may not read {x} ({x2})", "Dieser Benutzer darf {x} nicht lesen ({x2})"],
  ["This user may not write to {x} ({x2})", "Dieser Benutzer darf nicht in {x} schreiben ({x2})"],
  ["{x}, or give it to the user that runs homesec", "{x}, oder gib es dem Benutzer, unter dem homesec läuft"],
  ["CAMERA_EXTRA_ROOTS has {x}, which contains the data folder {x2}", "CAMERA_EXTRA_ROOTS hat {x}, worin der Datenordner {x2} liegt"],
  ["List the folders of the cameras instead", "Nenne stattdessen die Ordner der Kameras"],
  ["{x} of CAMERA_EXTRA_ROOTS does not exist or is not a folder", "{x} aus CAMERA_EXTRA_ROOTS gibt es nicht, oder es ist kein Ordner"],
  ["{x} of CAMERA_EXTRA_ROOTS do not exist or are not folders", "{x} aus CAMERA_EXTRA_ROOTS gibt es nicht, oder es sind keine Ordner"],
  ["the reason is unknown", "der Grund ist unbekannt"],
  ["Add {x} to CAMERA_EXTRA_ROOTS and restart homesec, or {f}", "Nimm {x} in CAMERA_EXTRA_ROOTS auf und starte homesec neu, oder {f}"],
  ["correct it: {s}", "berichtige es: {s}"],
  ["{x}, let the user that runs homesec read it, or {f}", "{x}, lass den Benutzer, unter dem homesec läuft, es lesen, oder {f}"],
  [
    "homesec cannot write to {x}, so it cannot delete old pictures there (DELETE_IMAGES=true)",
    "homesec kann nicht in {x} schreiben, darum dort keine alten Bilder löschen (DELETE_IMAGES=true)",
  ],
  [
    "{x}; the uploading user must own the folder, and homesec must be in its group",
    "{x}; der Ordner muss dem hochladenden Benutzer gehören, und homesec muss in seiner Gruppe sein",
  ],
  ["{x}; the uploading user must own the folder", "{x}; der Ordner muss dem hochladenden Benutzer gehören"],
  ["{x} cannot be written to, so no camera can upload", "In {x} lässt sich nicht schreiben, darum kann keine Kamera dort speichern"],
  ["The folder of {w} ({x}) {s}", "Der Ordner von {w} ({x}) {s}"],
  [
    "homesec cameras restore {w}; or stop these uploads and delete the files: {x}",
    "Stelle die Kamera auf der Seite Kameras wieder her; oder beende das Hochladen und lösche die Dateien: {x}",
  ],
  ["Each day of a recorder in {x} became a camera: {x2}", "Jeder Tag eines Rekorders in {x} wurde eine Kamera: {x2}"],
  [
    "Let the recorder write into a separate folder, such as {x}; then: {x2}",
    "Lass den Rekorder in einen eigenen Ordner schreiben, etwa {x}; dann: {x2}",
  ],
  ["Correct the address or the password: {x}", "Berichtige Adresse oder Passwort auf der Seite der Kamera"],
  ["set DATA_DIR to another folder", "setze DATA_DIR auf einen anderen Ordner"],
  ["Delete the file {x}, or {f}", "Lösche die Datei {x}, oder {f}"],
  ["sudo {x}, or {f}", "sudo {x}, oder {f}"],
  ["{x} cannot be used ({w})", "{x} ist nicht zu gebrauchen ({w})"],
  ["Give this user access to {x}, or {f}", "Gib diesem Benutzer Zugang zu {x}, oder {f}"],
  ["{x} does not exist yet; the first start of homesec creates it", "{x} gibt es noch nicht; der erste Start von homesec legt es an"],
  ["does not exist yet; the first start of homesec creates it", "gibt es noch nicht; der erste Start von homesec legt sie an"],
  [
    "does not exist yet; doctor could not read the database to see whether it is needed",
    "gibt es noch nicht; ob sie nötig ist, war ohne Datenbank nicht zu sehen",
  ],
  ["{x} does not exist, and this user cannot create it in {x2}", "{x} gibt es nicht, und dieser Benutzer kann es in {x2} nicht anlegen"],
  ["Other users of this machine may {x} {w} ({w2})", "Andere Benutzer dieses Rechners haben Zugriff auf {w} ({w2}): {x}"],
  [
    "{x} in {w} belongs to another user than the folder: homesec once ran as that user",
    "{x} in {w} gehört einem anderen Benutzer als der Ordner: homesec lief einmal unter ihm",
  ],
  [
    "{x} in {w} belong to another user than the folder: homesec once ran as that user",
    "{x} in {w} gehören einem anderen Benutzer als der Ordner: homesec lief einmal unter ihm",
  ],
  ["the network share of {w} does not answer", "die Netzfreigabe von {w} antwortet nicht"],
  [
    "{w} is missing, and only it can open the secrets of {x} in the database",
    "{w} fehlt, und nur damit sind die Geheimnisse von {x} in der Datenbank zu öffnen",
  ],
  ["Restore it from a backup.", "Stelle sie aus einer Sicherung wieder her."],
  ["If it is lost: {x}, and enter these secrets again", "Ist sie verloren: {x}, und gib diese Geheimnisse neu ein"],
  [
    "Secrets of {x} were sealed with another key than the one in {w}, so homesec delivers nothing to these webhooks and gets nothing from these cameras",
    "Geheimnisse von {x} sind mit einem anderen Schlüssel als dem in {w} versiegelt, darum stellt homesec diesen Webhooks nichts zu und bekommt von diesen Kameras nichts",
  ],
  ["Restore the right key file to {w} and restart homesec.", "Lege die richtige Schlüsseldatei nach {w} und starte homesec neu."],
  ["Or enter the secrets again: {x}$", "Oder gib die Geheimnisse neu ein: {x}"],
  ["{x}, best every night by cron", "{x}, am besten jede Nacht durch cron"],
  // disk
  [
    "Stop homesec, move the data folder to a local disk, and set DATA_DIR to it",
    "Beende homesec, verschiebe den Datenordner auf eine Platte dieses Rechners, und setze DATA_DIR darauf",
  ],
  ["{x}; or set DATABASE_URL", "{x}; oder setze DATABASE_URL"],
  ["{x} is on {w}, which is read-only", "{x} liegt auf {w}, und dort lässt sich nicht schreiben"],
  ["{x}; see dmesg, because Linux makes a damaged disk read-only", "{x}; siehe dmesg, denn eine beschädigte Platte macht Linux nur lesbar"],
  [
    "{x} is in memory ({w}): all data is lost when the machine is switched off",
    "{x} liegt im Arbeitsspeicher ({w}): Beim Ausschalten ist alles verloren",
  ],
  [
    "{x} is on a network share ({w}), which can damage a database",
    "{x} liegt auf einer Netzfreigabe ({w}), was einer Datenbank schaden kann",
  ],
  [
    "{x} did not answer within {n} s: every program that reads there hangs",
    "{x} antwortete nicht in {n} s: Jedes Programm, das dort liest, hängt",
  ],
  ["Bring the server of the share back, or unmount it: {x}", "Bringe den Server der Freigabe zurück, oder hänge sie aus: {x}"],
  [
    "{x} is a network share ({w}): homesec finds pictures there some seconds late",
    "{x} ist eine Netzfreigabe ({w}): homesec findet Bilder dort einige Sekunden später",
  ],
  [
    "Let the cameras upload to a local disk of this machine and set CAMERA_ROOT to it. To accept the delay: {x}",
    "Lass die Kameras auf eine Platte dieses Rechners speichern und setze CAMERA_ROOT darauf. Wenn die Verzögerung nicht stört: {x}",
  ],
  [
    "Find what takes the space: {x}; then delete old pictures, set DELETE_IMAGES=true, lower RETENTION_DAYS, or move the folder to a larger disk",
    "Sieh nach, was den Platz braucht: {x}; dann lösche alte Bilder, setze DELETE_IMAGES=true, senke RETENTION_DAYS, oder ziehe auf eine größere Platte um",
  ],
  [
    "Pictures take {x} a day: the disk with {w} is full in {n} days, and nothing deletes pictures (DELETE_IMAGES=false)",
    "Bilder brauchen {x} am Tag: Die Platte mit {w} ist in {n} Tagen voll, und nichts löscht Bilder (DELETE_IMAGES=false)",
  ],
  [
    "Pictures take {x} a day: the disk with {w} is full in {n} days, and {x2}",
    "Bilder brauchen {x} am Tag: Die Platte mit {w} ist in {n} Tagen voll ({x2})",
  ],
  [
    "Set DELETE_IMAGES=true and RETENTION_DAYS={n}, or delete pictures yourself",
    "Setze DELETE_IMAGES=true und RETENTION_DAYS={n}, oder lösche Bilder selbst",
  ],
  [
    "There are {n} camera folders, and this user may watch {n2} in all: pictures in the others are found late, by rescans",
    "Es gibt {n} Kameraordner, und dieser Benutzer darf nur {n2} überwachen: Bilder in den anderen werden erst beim Durchsuchen gefunden",
  ],
  // program
  ["The daemon at {w} is version {w2}, this program is {w3}", "homesec unter {w} hat Version {w2}, dieses Programm {w3}"],
  ["Restart homesec to run the installed version: {x}", "Starte homesec neu, damit die installierte Version läuft: {x}"],
  ["{x} on this database, this program is {w}", "{x} an dieser Datenbank, dieses Programm ist {w}"],
  ["Install version {w} there too, and restart it", "Installiere Version {w} auch dort, und starte es neu"],
  [
    "Node.js {w} gets no security fixes after a few months, like all odd versions",
    "Node.js {w} bekommt nach wenigen Monaten keine Sicherheitskorrekturen mehr, wie alle ungeraden Versionen",
  ],
  [
    "Install the current LTS version of Node.js from {w} and start homesec with it",
    "Installiere die aktuelle LTS-Version von Node.js von {w} und starte homesec damit",
  ],
  [
    "Stop other programs or add swap; or run the detector on another machine (DETECTOR_URL)",
    "Beende andere Programme, oder füge Swap hinzu; oder lass den Detektor auf einem anderen Rechner laufen (DETECTOR_URL)",
  ],
  [
    "Raise the limit to 512 MiB (MemoryMax= of the unit, mem_limit of the container); or run the detector on another machine (DETECTOR_URL)",
    "Erhöhe die Grenze auf 512 MiB (MemoryMax= der Unit, mem_limit des Containers); oder lass den Detektor auf einem anderen Rechner laufen (DETECTOR_URL)",
  ],
  [
    "The kernel killed {n} processes of homesec because memory ran out; the limit is {x}",
    "Der Kernel hat {n} Prozesse von homesec beendet, weil der Speicher nicht reichte; die Grenze ist {x}",
  ],
  ["Set the clock and keep it in sync: {x}", "Stelle die Uhr, und halte sie richtig: {x}"],
  ["The clock of this machine shows {t}, years in the past", "Die Uhr dieses Rechners zeigt {t}, Jahre in der Vergangenheit"],
  [
    "The clock shows {t}, but {x} was written {n} s later: the clock was set back",
    "Die Uhr zeigt {t}, aber {x} wurde {n} s später geschrieben: Die Uhr wurde zurückgestellt",
  ],
  [
    "systemd-timesyncd has reached no time server since this machine started: the clock may be wrong",
    "systemd-timesyncd hat seit dem Start des Rechners keinen Zeitserver erreicht: Die Uhr geht vielleicht falsch",
  ],
  [
    "Allow UDP port 123 to a time server, or set one in {w} and run {x}",
    "Erlaube UDP-Port 123 zu einem Zeitserver, oder nenne einen in {w} und starte {x}",
  ],
  [
    "TZ={w} is not a time zone: logs, the daily cleanup and mails use {w2}",
    "TZ={w} ist keine Zeitzone: Protokolle, Aufräumen und Mails nehmen {w2}",
  ],
  [
    "Set TZ to a name such as Europe/Berlin, or remove it to use the time zone of the machine",
    "Setze TZ auf einen Namen wie Europe/Berlin, oder entferne es: Dann gilt die Zeitzone des Rechners",
  ],
  ["Cameras upload videos, and some cannot be processed: {x}", "Kameras senden Videos, und manche sind nicht zu verarbeiten: {x}"],
  [
    "Then restart homesec on that machine; it processes the videos that wait",
    "Dann starte homesec auf diesem Rechner neu; es verarbeitet die wartenden Videos",
  ],
  [
    "Cameras upload videos, but ffmpeg is not installed, so homesec cannot process them",
    "Kameras senden Videos, aber ffmpeg ist nicht installiert, darum kann homesec sie nicht verarbeiten",
  ],
  [
    "sudo {x}, then restart homesec; it processes the videos that wait",
    "sudo {x}, dann starte homesec neu; es verarbeitet die wartenden Videos",
  ],
  ["nvidia-smi does not work: {x}", "nvidia-smi läuft nicht: {x}"],
  [
    "Run nvidia-smi and read its output; after an update of the driver, restart the machine",
    "Starte nvidia-smi und lies die Ausgabe; nach einer neuen Fassung des Treibers starte den Rechner neu",
  ],
  ["An NVIDIA driver is installed, but nvidia-smi is not", "Ein NVIDIA-Treiber ist installiert, aber nicht nvidia-smi"],
  ["Install it in the version of the driver: {x}", "Installiere es in der Version des Treibers: {x}"],
];
