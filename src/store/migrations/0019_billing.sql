CREATE TABLE "balance_notices" (
	"account_id" uuid NOT NULL,
	"threshold" bigint NOT NULL,
	"is_armed" boolean NOT NULL,
	CONSTRAINT "balance_notices_account_id_threshold_pk" PRIMARY KEY("account_id","threshold"),
	CONSTRAINT "balance_notices_threshold" CHECK (threshold > 0)
);
--> statement-breakpoint
CREATE TABLE "billing_terms" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"mode" text DEFAULT 'by_volume' NOT NULL,
	"credit_limit" bigint DEFAULT 0 NOT NULL,
	"invoiced_since" text,
	"reviewed" text,
	"below" text,
	"recipient" text DEFAULT '' NOT NULL,
	CONSTRAINT "billing_terms_mode" CHECK (mode in ('by_volume', 'invoiced', 'prepaid')),
	CONSTRAINT "billing_terms_credit_limit" CHECK (credit_limit >= 0),
	CONSTRAINT "billing_terms_invoiced" CHECK (invoiced_since is null or credit_limit > 0)
);
--> statement-breakpoint
CREATE TABLE "closed_months" (
	"account_id" uuid NOT NULL,
	"month" text NOT NULL,
	"charged" bigint NOT NULL,
	"service_credit" bigint NOT NULL,
	"minutes" integer NOT NULL,
	"unavailable" bigint NOT NULL,
	"closed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "closed_months_account_id_month_pk" PRIMARY KEY("account_id","month")
);
--> statement-breakpoint
CREATE TABLE "credit_notes" (
	"number" bigint PRIMARY KEY NOT NULL,
	"invoice_number" bigint NOT NULL,
	"account_id" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"reason" text NOT NULL,
	"reference" text NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "credit_notes_reference" UNIQUE("invoice_number","reference"),
	CONSTRAINT "credit_notes_amount" CHECK (amount > 0)
);
--> statement-breakpoint
CREATE TABLE "document_series" (
	"kind" text PRIMARY KEY NOT NULL,
	"last" bigint DEFAULT 0 NOT NULL,
	"since" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"number" bigint PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"month" text NOT NULL,
	"total" bigint NOT NULL,
	"paid" bigint NOT NULL,
	"document" text NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invoices_month" UNIQUE("account_id","month")
);
--> statement-breakpoint
CREATE TABLE "planned_work" (
	"id" uuid PRIMARY KEY NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"note" text NOT NULL,
	"announced_at" timestamp (3) with time zone NOT NULL,
	"cancelled_at" timestamp (3) with time zone,
	CONSTRAINT "planned_work_times" CHECK (ends_at > starts_at)
);
--> statement-breakpoint
CREATE TABLE "service_minutes" (
	"minute" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"slots" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_months" (
	"month" text PRIMARY KEY NOT NULL,
	"minutes" integer NOT NULL,
	"planned" integer NOT NULL,
	"unavailable" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "threshold_crossings" (
	"account_id" uuid NOT NULL,
	"month" text NOT NULL,
	"crossed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "threshold_crossings_account_id_month_pk" PRIMARY KEY("account_id","month")
);
--> statement-breakpoint
CREATE TABLE "wallet_minutes" (
	"minute" timestamp (3) with time zone NOT NULL,
	"account_id" uuid NOT NULL,
	"requests" bigint NOT NULL,
	"failed" bigint NOT NULL,
	CONSTRAINT "wallet_minutes_account_id_minute_pk" PRIMARY KEY("account_id","minute")
);
--> statement-breakpoint
ALTER TABLE "ledger_transactions" DROP CONSTRAINT "ledger_transactions_kind";--> statement-breakpoint
ALTER TABLE "operation_counts" ADD COLUMN "amount" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "balance_notices" ADD CONSTRAINT "balance_notices_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_terms" ADD CONSTRAINT "billing_terms_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closed_months" ADD CONSTRAINT "closed_months_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_notes" ADD CONSTRAINT "credit_notes_invoice_number_invoices_number_fk" FOREIGN KEY ("invoice_number") REFERENCES "invoices"("number") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_notes" ADD CONSTRAINT "credit_notes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threshold_crossings" ADD CONSTRAINT "threshold_crossings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "invoices_account" ON "invoices" USING btree ("account_id","number");--> statement-breakpoint
CREATE INDEX "planned_work_time" ON "planned_work" USING btree ("starts_at");--> statement-breakpoint
CREATE INDEX "wallet_minutes_minute" ON "wallet_minutes" USING btree ("minute");--> statement-breakpoint
CREATE INDEX "ledger_transactions_deposits" ON "ledger_transactions" USING btree ("account_id","created_at") WHERE kind in ('credit', 'test_credit', 'service_credit', 'credit_note');--> statement-breakpoint
CREATE INDEX "operation_counts_month" ON "operation_counts" USING btree ("month","account_id");--> statement-breakpoint
ALTER TABLE "ledger_transactions" ADD CONSTRAINT "ledger_transactions_kind" CHECK (kind in ('credit', 'test_credit', 'service_credit', 'credit_note', 'reserve', 'charge', 'refund'));--> statement-breakpoint
CREATE TRIGGER "closed_months_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "closed_months" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
CREATE TRIGGER "invoices_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "invoices" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
CREATE TRIGGER "credit_notes_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "credit_notes" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
INSERT INTO "document_series" ("kind", "since")
SELECT kind, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') FROM (VALUES ('invoice'), ('credit_note')) AS series (kind);--> statement-breakpoint
UPDATE "operation_counts" c SET amount = a.amount
FROM (
  SELECT t.account_id, t.operation, t.month, sum(e.amount) AS amount
  FROM "ledger_transactions" t JOIN "ledger_entries" e ON e.transaction_id = t.id AND e.kind = 'revenue'
  WHERE t.kind = 'charge' AND t.created_at >= date_trunc('month', now(), 'UTC') AND t.month = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')
  GROUP BY 1, 2, 3
) a
WHERE a.account_id = c.account_id AND a.operation = c.operation AND a.month = c.month;--> statement-breakpoint
INSERT INTO "billing_terms" ("account_id", "mode", "credit_limit", "invoiced_since")
SELECT account_id, 'invoiced', -floor, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') FROM "ledger_accounts" WHERE kind = 'available' AND floor < 0;--> statement-breakpoint
INSERT INTO "balance_notices" ("account_id", "threshold", "is_armed")
SELECT account_id, 10000000, balance - coalesce(floor, 0) >= 10000000 FROM "ledger_accounts" WHERE kind = 'available';
