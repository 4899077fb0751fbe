// Package prompts implements the MCP prompts: texts that a person picks in their client
// to start a flow of tool calls (specification, "Prompts"). It calls no tool and reads
// no data.
package prompts
