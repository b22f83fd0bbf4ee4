/** How long a slot of the embedded ledger takes where a suite does not care: as on the main network, unless a run says otherwise. */
export const SLOT_MS = process.env.KEYSLOT_TEST_SLOT_MS ?? '200';
