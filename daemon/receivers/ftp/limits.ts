/** Limits of the FTP receiver, in milliseconds and bytes. */
export interface FtpLimits {
  /** Time for the data connection to come, counted from the camera's request for one. */
  readonly connectMs: number;
  /** Time to wait for a free passive port. */
  readonly portMs: number;
  /** A control connection without a command for this long ends. */
  readonly idleMs: number;
  /** A data connection without a byte for this long ends. */
  readonly idleDataMs: number;
  /** After this time, an upload must be faster than `bytesPerSecond` on average. */
  readonly slowAfterMs: number;
  readonly bytesPerSecond: number;
  /** Longest command line. */
  readonly lineBytes: number;
  /** Commands before the login. */
  readonly commandsBeforeLogin: number;
  /** Wrong passwords in one connection. */
  readonly wrongPasswords: number;
}

/** The limits in production. */
export const ftpLimits: FtpLimits = {
  connectMs: 10_000,
  portMs: 5_000,
  idleMs: 300_000,
  idleDataMs: 60_000,
  slowAfterMs: 60_000,
  bytesPerSecond: 512,
  lineBytes: 4_096,
  commandsBeforeLogin: 20,
  wrongPasswords: 3,
};

/** An upload or a data connection failed. The message is for the camera's owner. */
export class TransferFault extends Error {
  override name = "TransferFault";
  /** The reply code for the camera. */
  readonly code: number;
  /** The camera's owner can read it already. */
  readonly isNoted: boolean;

  constructor(code: number, message: string, isNoted = false) {
    super(message);
    this.code = code;
    this.isNoted = isNoted;
  }
}
