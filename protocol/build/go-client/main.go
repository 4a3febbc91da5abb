// Calls a running service with the client that openapi-generator makes from openapi.json.
package main

import (
	"context"
	"fmt"
	"os"

	deputy "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	configuration := deputy.NewConfiguration()
	configuration.Servers = deputy.ServerConfigurations{{URL: os.Args[1]}}
	api := deputy.NewAPIClient(configuration)
	ctx := context.Background()

	request := deputy.NewIssueL1Request("dev@example.com", "go-bot", []string{"calendar:events"}, []string{"read"})
	issued, _, err := api.TokensAPI.IssueL1(ctx).IssueL1Request(*request).Execute()
	stopOn(err)
	fmt.Println("issued", issued.Jti)

	action := deputy.NewRecordActionRequest(issued.Jti, "read", "calendar:events", "success")
	recorded, _, err := api.ActionsAPI.RecordAction(ctx).RecordActionRequest(*action).Execute()
	stopOn(err)
	fmt.Println("recorded", recorded.AarId)

	reputation, _, err := api.ReputationAPI.GetReputation(ctx, "go-bot").Execute()
	stopOn(err)
	fmt.Println("reputation", reputation.CombinedReputation)

	record, _, err := api.ActionsAPI.GetRecord(ctx, recorded.AarId).Execute()
	stopOn(err)
	fmt.Println("record", record.State, record.CreatedAt)
}

func stopOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
