/** Returns the return value of a PKCS#11 library; undefined for any other error. */
export function returnCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || !error.message.startsWith('CKR_')) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

const PIN_REFUSED: ReadonlySet<number> = new Set([0xa0, 0xa1, 0xa2, 0xa3, 0xa4]);

/**
 * The token, the login or a handle is gone: DEVICE_ERROR, DEVICE_REMOVED, KEY_HANDLE_INVALID, OBJECT_HANDLE_INVALID, SESSION_CLOSED,
 * SESSION_HANDLE_INVALID, TOKEN_NOT_PRESENT, TOKEN_NOT_RECOGNIZED, UNWRAPPING_KEY_HANDLE_INVALID, USER_NOT_LOGGED_IN,
 * WRAPPING_KEY_HANDLE_INVALID, CRYPTOKI_NOT_INITIALIZED, SLOT_ID_INVALID.
 */
const LOST: ReadonlySet<number> = new Set([
  0x03, 0x30, 0x32, 0x60, 0x82, 0xb0, 0xb3, 0xe0, 0xe1, 0xf0, 0x101, 0x113, 0x190,
]);

/** GENERAL_ERROR and FUNCTION_FAILED are ambiguous: libraries return them for a lost token too. */
const VAGUE: ReadonlySet<number> = new Set([0x05, 0x06]);

/** True when the token refused the PIN, or locked it. Another try costs one of the few that it allows. */
export const isPinRefused = (error: unknown): boolean => PIN_REFUSED.has(returnCode(error) ?? -1);

/** True when a new login may help. */
export const isLost = (error: unknown): boolean => LOST.has(returnCode(error) ?? -1);

/** True when the token must be checked for presence. */
export const isVague = (error: unknown): boolean => VAGUE.has(returnCode(error) ?? -1);

/** True when the user is logged in already, by another part of the process. */
export const isLoggedInAlready = (error: unknown): boolean => returnCode(error) === 0x100;
