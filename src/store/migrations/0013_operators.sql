CREATE TABLE "limit_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"wanted" text NOT NULL,
	"reason" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"answer" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "limit_requests_kind" CHECK (kind in ('plan', 'wallet_create', 'wallet_use')),
	CONSTRAINT "limit_requests_state" CHECK (state in ('open', 'withdrawn', 'granted', 'refused')),
	CONSTRAINT "limit_requests_decided" CHECK ((state = 'open') = (decided_at is null))
);
--> statement-breakpoint
ALTER TABLE "ledger_transactions" ADD COLUMN "reference" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "operates" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "limit_requests" ADD CONSTRAINT "limit_requests_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "limit_requests_account" ON "limit_requests" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "limit_requests_open" ON "limit_requests" USING btree ("created_at","id") WHERE state = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_transactions_reference" ON "ledger_transactions" USING btree ("account_id","reference") WHERE reference is not null;--> statement-breakpoint
CREATE INDEX "accounts_created" ON "accounts" USING btree ("created_at","id");