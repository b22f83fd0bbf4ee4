import { integer, text } from './drizzle.ts';
import { bytes, instant } from './columns.ts';

/** The columns of a second factor (RFC 6238) of any owner. The secret is sealed under the installation key. */
export const factorState = () => ({
  sealedSecret: bytes('sealed_secret').notNull(),
  /** The latest time step whose code was used: codes up to this step no longer work. */
  lastStep: integer('last_step'),
  /** Wrong codes of the owner since `failingSince`, and when its lock ends. */
  failures: integer('failures').notNull().default(0),
  failingSince: instant('failing_since'),
  lockedUntil: instant('locked_until'),
  /** Wrong codes for each token, and for each token at an address, as JSON: src/account/identity/two-factor/check-code.ts. */
  guesses: text('guesses').notNull().default('{}'),
  enrolledAt: instant('enrolled_at').notNull(),
});
