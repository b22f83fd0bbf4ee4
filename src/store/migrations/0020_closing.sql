DROP INDEX "operation_counts_month";--> statement-breakpoint
ALTER TABLE "ledger_accounts" ADD COLUMN "closed_month" text;--> statement-breakpoint
ALTER TABLE "operation_counts" ADD COLUMN "is_closed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE "operation_counts" c SET is_closed = true
WHERE c.month < (SELECT since FROM "document_series" WHERE kind = 'invoice')
  OR EXISTS (SELECT FROM "closed_months" m WHERE m.account_id = c.account_id AND m.month = c.month);--> statement-breakpoint
UPDATE "ledger_accounts" l SET closed_month = (SELECT max(month) FROM "closed_months" m WHERE m.account_id = l.account_id) WHERE kind = 'available';--> statement-breakpoint
CREATE INDEX "operation_counts_open" ON "operation_counts" USING btree ("month","account_id") WHERE not is_closed;--> statement-breakpoint
ALTER TABLE "document_series" DROP COLUMN "since";
