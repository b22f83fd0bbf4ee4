import { Secret, TOTP } from 'otpauth';

/** Where the time comes from. */
export type CodeClock = { readonly nowMs: () => number; readonly pause: (ms: number) => Promise<unknown> };

/** The codes of an authenticator app (RFC 6238: SHA-1, 30 seconds, 6 digits). */
export type SecondFactor = {
  /** A code that was not taken before; waits for the next step where this one's is taken. Undefined: it was waited for often enough. */
  readonly take: () => Promise<string | undefined>;
  /** The code of now, for a request that is refused before anybody looks at it. */
  readonly peek: () => string;
  /** No code of now, nor of the steps around it. */
  readonly wrong: () => string;
};

const PERIOD_MS = 30_000;
/** A run waits five minutes for codes, at most. */
const MAX_WAITS = 10;
const STEPS_AROUND = [-3, -2, -1, 0, 1, 2, 3];
/** More than there are steps around: one at least is no code of theirs. */
const SAME_DIGITS = ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'] as const;

/** The second factor of an account by its secret. @throws TypeError when the secret is no base-32. */
export function createSecondFactor(secret: string, { nowMs, pause }: CodeClock): SecondFactor {
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: PERIOD_MS / 1_000, secret: read(secret) });
  const stepNow = (): number => Math.floor(nowMs() / PERIOD_MS);
  const codeOf = (step: number): string => totp.generate({ timestamp: step * PERIOD_MS });
  let taken = -1;
  let waits = 0;
  return {
    take: async () => {
      while (stepNow() <= taken) {
        if (waits === MAX_WAITS) return undefined;
        waits += 1;
        await pause((taken + 1) * PERIOD_MS - nowMs());
      }
      taken = stepNow();
      return codeOf(taken);
    },
    peek: () => codeOf(stepNow()),
    wrong: () => {
      const right = STEPS_AROUND.map((delta) => codeOf(stepNow() + delta));
      return SAME_DIGITS.find((code) => !right.includes(code)) ?? SAME_DIGITS[0];
    },
  };
}

function read(secret: string): Secret {
  try {
    return Secret.fromBase32(secret.replaceAll(' ', ''));
  } catch {
    throw new TypeError('--totp is no secret in base-32');
  }
}
