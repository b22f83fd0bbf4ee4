/** The first byte of a sealed key names the format of the rest. A number is never reused for another format. */
export const SEALED_FORMAT = { soft: 1, tokenObject: 2, wrapped: 3 } as const;
