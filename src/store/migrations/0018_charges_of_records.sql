CREATE TABLE "carried_charges" (
	"account_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"month" text NOT NULL,
	"units" bigint NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "carried_charges_account_id_operation_month_pk" PRIMARY KEY("account_id","operation","month")
);
--> statement-breakpoint
ALTER TABLE "audit_records" ADD COLUMN "charges" text;--> statement-breakpoint
ALTER TABLE "carried_charges" ADD CONSTRAINT "carried_charges_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
INSERT INTO "carried_charges" ("account_id", "operation", "month", "units", "amount")
SELECT c.account_id, c.operation, c.month, c.units, coalesce(a.amount, 0)
FROM "operation_counts" c
LEFT JOIN (
  SELECT t.account_id, t.operation, t.month, sum(e.amount) AS amount
  FROM "ledger_transactions" t JOIN "ledger_entries" e ON e.transaction_id = t.id AND e.kind = 'revenue'
  WHERE t.kind = 'charge' AND t.created_at >= date_trunc('month', now(), 'UTC') - interval '1 month'
  GROUP BY 1, 2, 3
) a ON a.account_id = c.account_id AND a.operation = c.operation AND a.month = c.month
WHERE c.month >= to_char((date_trunc('month', now(), 'UTC') - interval '1 month') AT TIME ZONE 'UTC', 'YYYY-MM');
