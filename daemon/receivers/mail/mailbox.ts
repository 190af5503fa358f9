import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import type { KnownLogins } from "../known-logins.ts";

/** A mail is refused for this recipient, for a reason that the camera's owner can read. */
export interface Refusal {
  readonly code: 530 | 535 | 550;
  readonly message: string;
  /** Counts as a wrong password. */
  readonly isGuess: boolean;
}

/**
 * Decides which camera a mail is for. A camera that has logged in delivers to its own folder, whatever the recipient is, unless that is the
 * mailbox of another camera. One that cannot log in has its password in the address: `porch+PASSWORD@homesec`.
 */
export function loginFor(logins: KnownLogins, recipient: string, loggedIn: KnownLogin | undefined): KnownLogin | Refusal {
  const mailbox = recipient.slice(0, recipient.lastIndexOf("@") === -1 ? undefined : recipient.lastIndexOf("@"));
  const [username = "", ...rest] = mailbox.split("+");
  const password = rest.join("+");
  const known = logins.find("mail", username);
  if (loggedIn) {
    if (!known || known.cameraId === loggedIn.cameraId) return loggedIn;
    const message = `User ${loggedIn.username} may not deliver for ${username}; log in as ${username}, or change the recipient`;
    return { code: 550, isGuess: false, message };
  }
  if (password !== "") {
    const login = logins.check("mail", username, password);
    if (login) return login;
    return { code: 550, isGuess: true, message: `Wrong password for user ${username} in the address; enter the one that homesec showed` };
  }
  if (known) {
    const message = `The camera did not log in; switch on authentication, or send to ${username}+PASSWORD@homesec`;
    return { code: 530, isGuess: false, message };
  }
  return { code: 550, isGuess: true, message: `No camera has the mailbox ${username}; homesec does not pass mail on` };
}

/** Returns the user name of a login; some cameras add a domain. */
export function usernameOf(given: string | undefined): string {
  return (given ?? "").replace(/@.*$/, "");
}
