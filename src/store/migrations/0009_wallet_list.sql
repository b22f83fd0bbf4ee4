DROP INDEX "wallets_account";--> statement-breakpoint
CREATE INDEX "wallets_account" ON "wallets" USING btree ("account_id","created_at","id");