/** The query of all webhooks of the account; the overview reads it too. */
export const WEBHOOKS = ['webhooks'] as const;

/** The queries of the deliveries of a webhook. */
export const deliveriesOf = (webhookId: string) => ['deliveries', webhookId] as const;
