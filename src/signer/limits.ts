/** Maximum size of a frame and its parts, without the head. Both ends refuse more. */
export const MAX_FRAME_BYTES = 2 * 1024 * 1024;
export const MAX_MESSAGE_BYTES = 1024 * 1024;
export const MAX_SEALED_BYTES = 1024;
export const MAX_ID_BYTES = 64;
/** Maximum number of keys in one request. More are requested in several, so that other calls get in between. */
export const MAX_ITEMS = 128;
export const MAX_TEXT_BYTES = 4096;
/** 4,096 fingerprints of destroyed keys. */
export const MAX_FINGERPRINT_BYTES = 65_536;
