import { integer, text } from './drizzle.ts';
import { bytes, instant } from './columns.ts';

/** The columns of a second factor (RFC 6238), whoever owns it. The secret is sealed under the installation key. */
export const factorState = () => ({
  sealedSecret: bytes('sealed_secret').notNull(),
  /** The latest time step whose code was used: no code of it or an earlier one works again. */
  lastStep: integer('last_step'),
  /** Wrong codes of the owner since `failingSince`, and when its lock ends. */
  failures: integer('failures').notNull().default(0),
  failingSince: instant('failing_since'),
  lockedUntil: instant('locked_until'),
  /** The same for each token, and for each token at an address, as JSON: src/account/two-factor/guesses.ts. */
  guesses: text('guesses').notNull().default('{}'),
  enrolledAt: instant('enrolled_at').notNull(),
});
