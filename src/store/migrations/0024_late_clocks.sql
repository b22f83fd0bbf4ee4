CREATE TABLE "wallet_charge_sums" (
	"account_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"operation" text NOT NULL,
	"units" bigint NOT NULL,
	"cost" bigint NOT NULL,
	CONSTRAINT "wallet_charge_sums_account_id_hour_operation_pk" PRIMARY KEY("account_id","hour","operation")
);
--> statement-breakpoint
ALTER TABLE "billing_terms" ADD COLUMN "invoiced_until" text;--> statement-breakpoint
ALTER TABLE "closed_months" ADD COLUMN "next_seq" bigint;--> statement-breakpoint
ALTER TABLE "wallet_sum_tips" ADD COLUMN "charged_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "wallet_sum_tips" ADD COLUMN "charges_summed_at" timestamp (3) with time zone;--> statement-breakpoint
UPDATE "ledger_accounts" l SET closed_month = c.month
FROM (SELECT account_id, max(month) AS month FROM "operation_counts" WHERE is_closed GROUP BY 1) c
WHERE l.account_id = c.account_id AND l.kind = 'available' AND coalesce(l.closed_month, '') < c.month;--> statement-breakpoint
UPDATE "reservations" r SET month = to_char(to_date(l.closed_month, 'YYYY-MM') + interval '1 month', 'YYYY-MM')
FROM "ledger_accounts" l
WHERE l.account_id = r.account_id AND l.kind = 'available' AND r.month <= l.closed_month AND r.closed_at IS NULL
  AND r.units - r.delivered + coalesce((SELECT c.units FROM "operation_counts" c
    WHERE c.account_id = r.account_id AND c.operation = r.operation AND c.month = r.month), 0) <= 1000000;