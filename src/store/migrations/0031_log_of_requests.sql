CREATE TABLE "request_logs" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"rows" bigint DEFAULT 0 NOT NULL,
	"oldest" bigint,
	"params_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "requests" (
	"account_id" uuid NOT NULL,
	"id" bigint NOT NULL,
	"request_id" text NOT NULL,
	"protocol" text NOT NULL,
	"network" text,
	"method" text NOT NULL,
	"caller_kind" text NOT NULL,
	"caller_id" uuid NOT NULL,
	"status" integer,
	"error" text,
	"rpc_code" integer,
	"duration_us" bigint,
	"bytes_in" bigint,
	"bytes_out" bigint,
	"node" text,
	"params" text,
	CONSTRAINT "requests_account_id_id_pk" PRIMARY KEY("account_id","id"),
	CONSTRAINT "requests_protocol" CHECK (protocol in ('json_rpc', 'websocket', 'grpc', 'wallets', 'account')),
	CONSTRAINT "requests_caller_kind" CHECK (caller_kind in ('key', 'token', 'member'))
);
--> statement-breakpoint
CREATE INDEX "requests_request" ON "requests" USING btree ("account_id","request_id","id");--> statement-breakpoint
CREATE INDEX "requests_caller" ON "requests" USING btree ("account_id","caller_id","id");--> statement-breakpoint
CREATE INDEX "requests_method" ON "requests" USING btree ("account_id","method","id");--> statement-breakpoint
CREATE INDEX "requests_error" ON "requests" USING btree ("account_id","error","id") WHERE error is not null;--> statement-breakpoint
CREATE INDEX "requests_failed" ON "requests" USING btree ("account_id","id") WHERE error is not null;